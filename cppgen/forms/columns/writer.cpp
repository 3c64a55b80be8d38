// Kernels whose lanes are points of the last outer loop: pointwise kernels, pooling, sums over slow dimensions.

#include "cppgen/forms/columns/writer.h"

#include <algorithm>

#include "cppgen/codegen/reduction_text.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

using ir::Loop;
using schedule::Segment;

void ColumnsWriter::write_body() {
  const Loop& last = kernel_.outer.back();
  const UnitPart part = write_units(plan_.interleaved > 1 ? 2 : 1);
  Code v = name_loop(last);
  Statements hoisted;
  const Statements inside = point(hoisted);
  body_.add(hoisted);
  body_.open(Lambda{"point", fmt::format("const vec::i64 {}, auto n{}", several() ? "start" : v.text(),
                                         several() || plan_.chains > 1 ? ", auto width" : "")});
  if (several()) body_.constant("constexpr int", "U", "decltype(width)::value");
  body_.add(inside);
  body_.close();
  body_.variable("vec::i64", "at", part.start);
  write_calls(named("stop", part.stop));
}

// Declares the positions of all outer loops except the last `inner_loops`; returns the unit's part of the last loop.
ColumnsWriter::UnitPart ColumnsWriter::write_units(size_t inner_loops) {
  const Loop& last = kernel_.outer.back();
  const IndexExpr blocks = ir::ceildiv(last.extent, plan_.block);
  const std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - long(inner_loops));
  const bool one_block = blocks.is_constant(1), split = !one_block && !units.empty();
  if (split) {
    body_.let("block", "unit % {}", factor(blocks));
    body_.let(Code::name("outer"), "unit / {}", factor(blocks));
  }
  decompose(split ? Code::name("outer") : "unit", units);
  const Code extent = index_text(last.extent);
  if (one_block) return {0, extent};
  const Code start = times(split ? "block" : "unit", plan_.block);
  return {start, code("vec::imin({}, {} + {})", extent, start, plan_.block)};
}

// The statements for one position of the last loop.
Statements ColumnsWriter::point(Statements& hoisted) {
  StatementList around;
  std::swap(body_, around);
  declare_locals(several());
  for (size_t i = 0; i < kernel_.segments.size(); i++) write_segment(kernel_.segments[i], i, hoisted);
  std::swap(body_, around);
  return around.take();
}

// Calls `point` for all positions of the unit.
void ColumnsWriter::write_calls(const Code& stop) {
  const int64_t wide = std::max(plan_.chains, plan_.vectors);
  if (wide > 1)
    body_.each({.variable = "at", .begin = {}, .end = stop, .step = code("{} * vec::L", wide), .whole_steps = true},
               code("point(at, vec::All{{}}, vec::Int<{}>{{}});", wide));
  if (plan_.masks_full_vectors && options_.enable_loop_tail_vec)
    return body_.each({.variable = "at", .begin = {}, .end = stop, .step = "vec::L"},
                      code("point(at, vec::tail(vec::imin({} - at, vec::L)), vec::Int<1>{{}});", stop));
  const char* one = wide > 1 ? ", vec::Int<1>{}" : "";
  call_by_vectors(stop, [&](const Code& at, const Code& n) { return code("point({}, {}{})", at, n, one); });
}

// Whether vectors begin at multiples of their lanes, whichever unit they belong to.
bool ColumnsWriter::vectors_are_aligned() const {
  return plan_.block % view_.target.lanes == 0 || kernel_.outer.back().extent.is_constant(plan_.block);
}

Code ColumnsWriter::accumulator(size_t segment, size_t reduction) const {
  return accumulator_name(segment, reduction) + (several() ? "[u]" : "");
}

// Opens the loop over vectors side by side, if there are several.
void ColumnsWriter::open_vectors() {
  if (!several()) return;
  body_.open(For{.type = "int", .variable = "u", .end = "U", .unroll = plan_.unroll});
  if (across_)
    body_.let(index_text(across_->var), "first + u");
  else
    body_.let(index_text(kernel_.outer.back().var), "start + u * vec::L");
}

void ColumnsWriter::close_vectors() {
  if (several()) body_.close();
}

Code ColumnsWriter::total(size_t index, size_t r) const { return total_name(index, r) + (several() ? "[u]" : ""); }

// The reduction's result: the total of a long sum, otherwise the accumulator.
Code ColumnsWriter::result(size_t index, size_t r) const {
  return has_total(index, r) ? code("vec::convert<float>({})", total(index, r)) : accumulator(index, r);
}

// Statements that add the accumulators to the totals after a part of a long sum.
std::optional<LoopsWriter::Parts> ColumnsWriter::column_parts(const Segment& s, size_t index) const {
  auto parts = parts_of(index);
  const auto each = [&](Code line) {
    const Statement one = plain(std::move(line));
    return several() ? Statement{For{.type = "int", .variable = "u", .end = "U", .body = {one}}} : one;
  };
  for (size_t r = 0; parts && r < s.reductions.size(); r++) {
    if (!has_total(index, r)) continue;
    const Code a = accumulator(index, r);
    parts->after.push_back(each(add_to_total(total(index, r), a)));
    parts->reset.push_back(each(code("{} = {};", a, accumulator_start(s.reductions[r]))));
  }
  return parts;
}

Code ColumnsWriter::update(const Segment& s, size_t index, size_t r, ValueEmitter& e) const {
  const auto& red = s.reductions[r];
  const Code a = accumulator(index, r);
  const bool multiply = red.op == ir::ReduceOp::sum && is_float(red.type) && red.value->kind == ir::ExprKind::binary &&
                        red.value->binary == ir::BinaryOp::mul;
  if (multiply) {
    const Code left = e.emit(red.value->args[0]), right = e.emit(red.value->args[1]);
    return code("{0} = vec::fma({1}, {2}, {0});", a, left, right);
  }
  const Code value = e.emit(red.value);
  const Code position = is_arg(red) ? e.emit(view_.program().exprs->index(red.position)) : "";
  return accumulate_text(red, a, value, position, "");
}

void ColumnsWriter::declare_accumulators(const Segment& s, size_t index) {
  const auto declare = [&](const std::string& type, const Code& name, const Code& start) {
    if (!several()) return body_.variable(type, name, start);
    body_.array(type, name, "U");
    body_.each({.type = "int", .variable = "u", .end = "U"}, code("{}[u] = {};", name, start));
  };
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const ir::Reduction& red = s.reductions[r];
    declare(accumulator_type(red).text(), accumulator_name(index, r), accumulator_start(red));
    if (has_total(index, r)) declare("vec::V<double>", total_name(index, r), "vec::set1<double>(0)");
  }
}

void ColumnsWriter::write_segment(const Segment& s, size_t index, Statements& hoisted) {
  const Loop& last = kernel_.outer.back();
  const bool reduces = !s.reductions.empty();
  std::vector<const ir::IndexNode*> variables;
  for (const auto* loops : {&s.loops, &s.reduced})
    for (const auto& l : *loops) name_scalar_loop(l), variables.push_back(l.var.node());
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());

  ValueEmitter body(context_, variables, last.var.node(), "n");
  if (vectors_are_aligned()) body.align_lanes(view_.target.lanes);
  if (across_) body.assume_inside(across_->var.node(), kInside);
  if (plan_.chains > 1) body.compute_side_by_side();
  Statements updates;
  for (size_t r = 0; r < s.reductions.size(); r++) updates.push_back(plain(update(s, index, r, body)));
  if (plan_.interleaved > 1)
    body.store_interleaved(s.stores, kernel_.outer[kernel_.outer.size() - 2].var.node(), plan_.interleaved);
  else
    body.store(reduces ? s.body : s.stores);
  hoisted.insert(hoisted.end(), body.lines[0].begin(), body.lines[0].end());

  open_loops(s.loops, body, 1);
  declare_accumulators(s, index);
  const auto parts = column_parts(s, index);
  if (parts) body_.variable("vec::i64", parts->count, 0);
  open_loops(s.reduced, body, 1 + s.loops.size(), parts);
  open_vectors();
  prefetch(index);
  if (across_) body_.add(body.lines[body.lines.size() - 2]);
  body_.add(body.lines.back());
  body_.add(updates);
  close_vectors();
  close_loops(s.reduced.size(), parts);
  if (parts) body_.add(parts->after);
  if (reduces && !s.stores.empty()) write_results(s, index, hoisted);
  close_loops(s.loops.size());
}

// Stores values that depend on the final accumulators.
void ColumnsWriter::write_results(const Segment& s, size_t index, Statements& hoisted) {
  const Loop& last = kernel_.outer.back();
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : s.loops) variables.push_back(l.var.node());
  const size_t around = variables.size();
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());
  ValueEmitter after(context_, variables, last.var.node(), "n");
  if (vectors_are_aligned()) after.align_lanes(view_.target.lanes);
  for (size_t r = 0; r < s.reductions.size(); r++)
    after.bind_accumulator(int(r), per_lane_text(s.reductions[r], result(index, r)), int(variables.size()));
  after.store(s.stores);
  hoisted.insert(hoisted.end(), after.lines[0].begin(), after.lines[0].end());
  for (size_t i = 1; i <= around; i++) body_.add(after.lines[i]);
  open_vectors();
  for (size_t i = around + 1; i < after.lines.size(); i++) body_.add(after.lines[i]);
  close_vectors();
}

KernelText ColumnsPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return ColumnsWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
