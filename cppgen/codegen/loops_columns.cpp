// Kernels whose lanes are points of the last outer loop: pointwise kernels, pooling, sums over slow dimensions.

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Segment;

void ColumnsWriter::write_body() {
  const Loop& last = kernel_.outer.back();
  const UnitPart part = write_units(1);
  Code v = name_loop(last);
  Statements hoisted;
  const Statements inside = point(hoisted);
  body_.add(hoisted);
  body_.open("auto point = [&](const vec::i64 {}, auto n{}) CPPGEN_LAMBDA", several() ? "start" : v,
             several() || plan_.chains > 1 ? ", auto width" : "");
  if (several()) body_.line("constexpr int U = decltype(width)::value;");
  body_.add(inside);
  body_.close("};");
  body_.line("vec::i64 at = {};", part.start);
  body_.line("const vec::i64 stop = {};", part.stop);
  write_calls();
}

// Declares the positions of the outer loops but the last `inner_loops`; returns the part of the last loop that is the
// unit's.
ColumnsWriter::UnitPart ColumnsWriter::write_units(size_t inner_loops) {
  const Loop& last = kernel_.outer.back();
  const IndexExpr blocks = ir::ceildiv(last.extent, plan_.block);
  const std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - long(inner_loops));
  const bool one_block = blocks.is_constant(1), split = !one_block && !units.empty();
  if (split) body_.line("const vec::i64 block = unit % {0}, outer = unit / {0};", factor(blocks));
  decompose(split ? "outer" : "unit", units);
  const Code extent = index_text(last.extent);
  if (one_block) return {"0", extent};
  const Code start = code("{} * {}", split ? "block" : "unit", plan_.block);
  return {start, code("vec::imin({}, {} + {})", extent, start, plan_.block)};
}

// What is done at one position of the last loop.
Statements ColumnsWriter::point(Statements& hoisted) {
  StatementList around;
  std::swap(body_, around);
  declare_locals(several());
  for (size_t i = 0; i < kernel_.segments.size(); i++) write_segment(kernel_.segments[i], i, hoisted);
  std::swap(body_, around);
  return around.take();
}

// Calls `point` for all positions of the unit.
void ColumnsWriter::write_calls() {
  constexpr const char* wide =
      "for (; at + {0} * vec::L <= stop; at += {0} * vec::L) point(at, vec::All{{}}, vec::Int<{0}>{{}});";
  if (plan_.chains > 1) {
    body_.line(wide, plan_.chains);
    // Full vectors as tails, too: one copy of a long body less to compile.
    body_.line(
        "for (; at < stop; at += vec::L) point(at, vec::Tail{{int(vec::imin(stop - at, vec::L))}}, vec::Int<1>{{}});");
    return;
  }
  const char* one = several() ? ", vec::Int<1>{}" : "";
  if (several()) body_.line(wide, plan_.vectors);
  body_.line("for (; at + vec::L <= stop; at += vec::L) point(at, vec::All{{}}{});", one);
  body_.line("if (at < stop) point(at, vec::Tail{{int(stop - at)}}{});", one);
}

Code ColumnsWriter::accumulator(size_t segment, size_t reduction) const {
  return accumulator_name(segment, reduction) + (several() ? "[u]" : "");
}

// Opens the loop over vectors side by side, if there are several.
void ColumnsWriter::open_vectors() {
  if (!several()) return;
  body_.text("_Pragma(\"GCC unroll 8\")");
  body_.open("for (int u = 0; u < U; u++)");
  if (across_)
    body_.line("const vec::i64 {} = first + u;", index_text(across_->var));
  else
    body_.line("const vec::i64 {} = start + u * vec::L;", index_text(kernel_.outer.back().var));
}

void ColumnsWriter::close_vectors() {
  if (several()) body_.close();
}

// Where the reduction's result is: in the total of a long sum, else in the accumulator.
Code ColumnsWriter::result(size_t index, size_t r) const {
  if (!has_total(index, r)) return accumulator(index, r);
  return total_name(index, r) + (several() ? "[u]" : "");
}

// Lines that add the accumulators to the totals after a part of a long sum.
std::optional<LoopsWriter::Parts> ColumnsWriter::column_parts(const Segment& s, size_t index) const {
  auto parts = parts_of(index);
  for (size_t r = 0; parts && r < s.reductions.size(); r++) {
    if (!has_total(index, r)) continue;
    const Code add = code("{0}{2} = {0}{2} + {1}{2}, {1}{2} = {3};", total_name(index, r), accumulator_name(index, r),
                          several() ? "[u]" : "", accumulator_start(s.reductions[r]));
    parts->after.push_back(plain(several() ? "for (int u = 0; u < U; u++) " + add : add));
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
  const auto declare = [&](const ir::Reduction& red, const Code& name) {
    const Code type = accumulator_type(red), start = accumulator_start(red);
    if (several()) {
      body_.line("{} {}[U];", type, name);
      body_.line("for (int u = 0; u < U; u++) {}[u] = {};", name, start);
    } else {
      body_.line("{} {} = {};", type, name, start);
    }
  };
  for (size_t r = 0; r < s.reductions.size(); r++) {
    declare(s.reductions[r], accumulator_name(index, r));
    if (has_total(index, r)) declare(s.reductions[r], total_name(index, r));
  }
}

void ColumnsWriter::write_segment(const Segment& s, size_t index, Statements& hoisted) {
  const Loop& last = kernel_.outer.back();
  const bool reduces = !s.reductions.empty();
  std::vector<const ir::IndexNode*> variables;
  for (const auto* loops : {&s.loops, &s.reduced})
    for (const auto& l : *loops) name_loop(l), variables.push_back(l.var.node());
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());

  ValueEmitter body(context_, variables, last.var.node(), "n");
  if (across_) body.assume_inside(across_->var.node(), "inside");
  if (plan_.chains > 1) body.compute_side_by_side();
  Statements updates;
  for (size_t r = 0; r < s.reductions.size(); r++) updates.push_back(plain(update(s, index, r, body)));
  body.store(reduces ? s.body : s.stores);
  hoisted.insert(hoisted.end(), body.lines[0].begin(), body.lines[0].end());

  open_loops(s.loops, body, 1);
  declare_accumulators(s, index);
  const auto parts = column_parts(s, index);
  if (parts) body_.line("vec::i64 {} = 0;", parts->count);
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

// Stores what follows from the finished accumulators.
void ColumnsWriter::write_results(const Segment& s, size_t index, Statements& hoisted) {
  const Loop& last = kernel_.outer.back();
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : s.loops) variables.push_back(l.var.node());
  const size_t around = variables.size();
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());
  ValueEmitter after(context_, variables, last.var.node(), "n");
  for (size_t r = 0; r < s.reductions.size(); r++)
    after.bind_accumulator(int(r), per_lane_text(s.reductions[r], result(index, r)), int(variables.size()));
  after.store(s.stores);
  hoisted.insert(hoisted.end(), after.lines[0].begin(), after.lines[0].end());
  for (size_t i = 1; i <= around; i++) body_.add(after.lines[i]);
  open_vectors();
  for (size_t i = around + 1; i < after.lines.size(); i++) body_.add(after.lines[i]);
  close_vectors();
}

}  // namespace cppgen::codegen
