// Kernels whose lanes are points of each segment's innermost loop: reductions along contiguous rows and their
// pointwise neighbours.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Segment;

void LoopsWriter::write_rows() {
  text_.range = 1;
  for (const auto& l : kernel_.outer) text_.range = text_.range * l.extent;
  text_.unit_work = 0;
  for (const Segment& s : kernel_.segments) text_.unit_work = text_.unit_work + points(s);
  if (kernel_.outer.empty()) body_.line("(void)unit;");
  decompose(body_, "unit", kernel_.outer);
  declare_locals();
  for (size_t i = 0; i < kernel_.segments.size(); i++) row_segment(kernel_.segments[i], i);
}

// Lines that ask for what the next point of the outer loops will read first: a kernel that goes over each row several
// times computes for so long that the hardware forgets to fetch ahead. The last segment that reads a buffer does it.
std::vector<std::string> LoopsWriter::prefetch_next_row(size_t index, const Loop& vector_loop) const {
  std::vector<std::string> lines;
  if (index == 0 || kernel_.outer.empty()) return lines;
  auto loads_of = [](const Segment& s) {
    std::vector<Expr> loads = ir::postorder(roots_of(s));
    std::erase_if(loads, [](Expr e) { return e->kind != ir::ExprKind::load; });
    return loads;
  };
  auto reads = [&](const Segment& s, ir::BufferId b) {
    auto loads = loads_of(s);
    return std::any_of(loads.begin(), loads.end(), [&](Expr e) { return e->buffer == b; });
  };
  const auto* row = kernel_.outer.back().var.node();
  for (Expr e : loads_of(kernel_.segments[index])) {
    if (context_.local(e->buffer) || !e->guards.empty() || !e->indirects.empty()) continue;
    bool again = false;
    for (size_t later = index + 1; later < kernel_.segments.size(); later++)
      again |= reads(kernel_.segments[later], e->buffer);
    if (again || !reads(kernel_.segments[0], e->buffer)) continue;
    IndexExpr offset = context_.offset(e->buffer, e->indices);
    auto stride = ir::stride_of(offset, vector_loop.var.node());
    if (!stride || !stride->is_constant(1) || !ir::depends_on(offset, row)) continue;
    IndexExpr next = ir::substitute(offset, {{row, kernel_.outer.back().var + 1}});
    lines.push_back(fmt::format("vec::prefetch({} + {});", context_.pointers.at(e->buffer), index_text(next)));
  }
  return lines;
}

void LoopsWriter::row_segment(const Segment& s, size_t index) {
  body_.open_text("");
  if (s.reductions.empty())
    row_pointwise(s, index);
  else
    row_reduction(s, index);
  body_.close();
}

// Names the loops; the last one, if there is one, becomes the vector loop.
LoopsWriter::RowLoops LoopsWriter::row_loops(const std::vector<Loop>& loops) {
  RowLoops row{loops, {}, {}};
  if (!loops.empty()) row.vector = loops.back(), row.scalar.pop_back();
  for (const auto& l : loops) name_loop(l), row.variables.push_back(l.var.node());
  return row;
}

// Opens `auto body`, a function of the position in the vector loop and of its lanes.
void LoopsWriter::open_row_body(const Loop& vector_loop, size_t index, const char* more_arguments) {
  body_.open("auto body = [&](const vec::i64 {}, auto n{}) CPPGEN_LAMBDA", index_text(vector_loop.var), more_arguments);
  add_lines(prefetch_next_row(index, vector_loop));
}

void LoopsWriter::row_pointwise(const Segment& s, size_t index) {
  RowLoops row = row_loops(s.loops);
  ValueEmitter e(context_, row.variables, row.vector ? row.vector->var.node() : nullptr, row.lanes());
  e.store(s.stores);
  add_lines(e.lines[0]);
  open_loops(row.scalar, e, 1);
  if (row.vector) {
    open_row_body(*row.vector, index, "");
    add_lines(e.lines.back());
    body_.close("};");
    body_.line("const vec::i64 extent = {};", index_text(row.vector->extent));
    body_.line("vec::i64 at = 0;");
    body_.line("for (; at + vec::L <= extent; at += vec::L) body(at, vec::All{{}});");
    body_.line("if (at < extent) body(at, vec::Tail{{int(extent - at)}});");
  }
  close_loops(row.scalar.size());
}

// Scalar loops, then reduced loops of which the last is the vector loop.
void LoopsWriter::row_reduction(const Segment& s, size_t index) {
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : s.loops) name_loop(l), variables.push_back(l.var.node());
  const std::vector<const ir::IndexNode*> around = variables;
  RowLoops row = row_loops(s.reduced);
  variables.insert(variables.end(), row.variables.begin(), row.variables.end());

  ValueEmitter e(context_, variables, row.vector ? row.vector->var.node() : nullptr, row.lanes());
  std::vector<std::string> updates = row_updates(s, index, e, row.lanes());
  e.store(s.body);
  add_lines(e.lines[0]);
  open_loops(s.loops, e, 1);
  declare_row_accumulators(s, index);
  const auto parts = row_parts(s, index);
  if (parts) body_.line("vec::i64 {} = 0;", parts->count);
  open_loops(row.scalar, e, 1 + s.loops.size(), parts);
  if (row.vector) {
    const bool in_parts = parts && parts->loop == row.scalar.size();
    row_reduction_loop(*row.vector, index, in_parts ? parts : std::nullopt, e.lines.back(), updates);
  } else {
    body_.line("const int u = 0;");
    add_lines(updates);
  }
  close_loops(row.scalar.size(), parts);
  if (parts) add_lines(parts->after);
  row_results(s, index, around);
  close_loops(s.loops.size());
}

std::vector<std::string> LoopsWriter::row_updates(const Segment& s, size_t index, ValueEmitter& e,
                                                  const std::string& lanes) const {
  std::vector<std::string> updates;
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    std::string value = e.emit(red.value), position;
    if (is_arg(red)) position = e.emit(schedule_.program.exprs->index(red.position));
    updates.push_back(accumulate_text(red, accumulator_name(index, r) + "[u]", value, position, lanes));
  }
  return updates;
}

void LoopsWriter::declare_row_accumulators(const Segment& s, size_t index) {
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    std::string a = accumulator_name(index, r);
    body_.line("{} {}[{}];", accumulator_type(red), a, kRowAccumulators);
    body_.line("for (int u = 0; u < {}; u++) {}[u] = {};", kRowAccumulators, a, accumulator_start(red));
    if (has_total(s, r)) body_.line("{} {} = {};", accumulator_type(red), total_name(index, r), accumulator_start(red));
  }
}

// The four accumulators of each reduction are combined in the first one.
std::vector<std::string> LoopsWriter::combine_rows(const Segment& s, size_t index, size_t r) {
  const auto& red = s.reductions[r];
  const std::string a = accumulator_name(index, r);
  const auto combine = [&](int to, int from) {
    return fmt::format("{0}[{1}] = {2};", a, to,
                       combine_text(red, fmt::format("{}[{}]", a, to), fmt::format("{}[{}]", a, from)));
  };
  return {combine(0, 1), combine(2, 3), combine(0, 2)};
}

void LoopsWriter::row_reduction_loop(const Loop& vector_loop, size_t index, const std::optional<Parts>& parts,
                                     const std::vector<std::string>& values, const std::vector<std::string>& updates) {
  open_row_body(vector_loop, index, ", const int u");
  add_lines(values);
  add_lines(updates);
  body_.close("};");
  body_.line("const vec::i64 {} = {};", parts ? "all" : "extent", index_text(vector_loop.extent));
  if (parts) {
    open_parts("all", *parts);
    body_.line("const vec::i64 extent = part_end;");
  }
  body_.line("vec::i64 at = {};", parts ? "part" : "0");
  body_.open("for (; at + {0} * vec::L <= extent; at += {0} * vec::L)", kRowAccumulators);
  for (int u = 0; u < kRowAccumulators; u++) body_.line("body(at + {0} * vec::L, vec::All{{}}, {0});", u);
  body_.close();
  body_.line("for (; at + vec::L <= extent; at += vec::L) body(at, vec::All{{}}, 0);");
  body_.line("if (at < extent) body(at, vec::Tail{{int(extent - at)}}, 0);");
  if (parts) close_parts(*parts);
}

// Combines the accumulators over vectors and lanes and stores what follows from them; `around` are the variables of
// the loops around the reduction.
void LoopsWriter::row_results(const Segment& s, size_t index, const std::vector<const ir::IndexNode*>& around) {
  ValueEmitter after(context_, around, nullptr, "vec::Tail{1}");
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    std::string a = accumulator_name(index, r), name = a + "_all";
    if (is_arg(red)) {
      for (int u = 1; u < kRowAccumulators; u++) body_.line("{0}[0].merge({0}[{1}]);", a, u);
    } else if (!has_total(s, r)) {
      add_lines(combine_rows(s, index, r));
    }
    body_.line("const auto {} = {};", name, over_lanes_text(red, has_total(s, r) ? total_name(index, r) : a + "[0]"));
    after.bind_accumulator(int(r), name, int(around.size()));
  }
  after.store(s.stores);
  for (const auto& lines : after.lines) add_lines(lines);
}

}  // namespace cppgen::codegen
