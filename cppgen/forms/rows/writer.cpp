// Kernels whose lanes are points of each segment's innermost loop: reductions along contiguous rows and their
// pointwise neighbours.

#include "cppgen/forms/loops/writer.h"

#include <algorithm>

#include "cppgen/codegen/reduction_text.h"
#include "cppgen/forms/rows/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// Lanes are points of each segment's innermost loop.
class RowsWriter : public LoopsWriter {
 public:
  RowsWriter(const KernelView& view, const RowsPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 private:
  const RowsPlan& plan_;

  struct RowLoops {
    std::vector<ir::Loop> scalar;
    std::optional<ir::Loop> vector;
    std::vector<const ir::IndexNode*> variables;  // of all loops
    Code lanes() const { return vector ? "n" : "vec::Tail{1}"; }
  };
  void write_body() override;
  void write_segment(const schedule::Segment&, size_t index);
  RowLoops row_loops(const std::vector<ir::Loop>&);
  void open_body(const ir::Loop& vector_loop, size_t index, const char* more_arguments);
  void write_pointwise(const schedule::Segment&, size_t index);
  void write_reduction(const schedule::Segment&, size_t index);
  Statements updates(const schedule::Segment&, size_t index, ValueEmitter&, const Code& lanes) const;
  Statement start(const ir::Reduction&, const Code& accumulators) const;
  void declare_accumulators(const schedule::Segment&, size_t index);
  void write_vector_loop(const ir::Loop& vector_loop, size_t index, const std::optional<Parts>&,
                         const Statements& values, const Statements& updates);
  Statements combine(const schedule::Segment&, size_t index, size_t reduction) const;
  std::optional<Parts> row_parts(const schedule::Segment&, size_t index) const;
  void write_results(const schedule::Segment&, size_t index, const std::vector<const ir::IndexNode*>& around);
};

using ir::Loop;
using schedule::Segment;

void RowsWriter::write_body() {
  decompose("unit", kernel_.outer);
  declare_locals(false);
  for (size_t i = 0; i < kernel_.segments.size(); i++) write_segment(kernel_.segments[i], i);
}

void RowsWriter::write_segment(const Segment& s, size_t index) {
  body_.open_scope();
  if (s.reductions.empty())
    write_pointwise(s, index);
  else
    write_reduction(s, index);
  body_.close();
}

// Names the loops; the last one, if there is one, becomes the vector loop.
RowsWriter::RowLoops RowsWriter::row_loops(const std::vector<Loop>& loops) {
  RowLoops row{loops, {}, {}};
  if (!loops.empty()) row.vector = loops.back(), row.scalar.pop_back();
  for (const auto& l : row.scalar) name_scalar_loop(l);
  if (row.vector) name_loop(*row.vector);
  for (const auto& l : loops) row.variables.push_back(l.var.node());
  return row;
}

// Opens `body`, a function of the position in the vector loop and of the number of lanes.
void RowsWriter::open_body(const Loop& vector_loop, size_t index, const char* more_arguments) {
  body_.open(Lambda{"body", fmt::format("const vec::i64 {}, auto n{}", index_text(vector_loop.var), more_arguments)});
  prefetch(index);
}

void RowsWriter::write_pointwise(const Segment& s, size_t index) {
  RowLoops row = row_loops(s.loops);
  ValueEmitter e(context_, row.variables, row.vector ? row.vector->var.node() : nullptr, row.lanes());
  if (row.vector) e.align_lanes(view_.target.lanes);
  e.store(s.stores);
  body_.add(e.lines[0]);
  open_loops(row.scalar, e, 1);
  if (row.vector) {
    open_body(*row.vector, index, "");
    body_.add(e.lines.back());
    body_.close();
    const Code extent = named("extent", index_text(row.vector->extent));
    body_.variable("vec::i64", "at", 0);
    call_by_vectors(extent, [](const Code& at, const Code& n) { return code("body({}, {})", at, n); });
  }
  close_loops(row.scalar.size());
}

// Scalar loops around reduced loops, the last of which is the vector loop.
void RowsWriter::write_reduction(const Segment& s, size_t index) {
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : s.loops) name_scalar_loop(l), variables.push_back(l.var.node());
  const std::vector<const ir::IndexNode*> around = variables;
  RowLoops row = row_loops(s.reduced);
  variables.insert(variables.end(), row.variables.begin(), row.variables.end());

  ValueEmitter e(context_, variables, row.vector ? row.vector->var.node() : nullptr, row.lanes());
  if (row.vector && !parts_of(index)) e.align_lanes(view_.target.lanes);
  Statements changes = updates(s, index, e, row.lanes());
  e.store(s.body);
  body_.add(e.lines[0]);
  open_loops(s.loops, e, 1);
  declare_accumulators(s, index);
  const auto parts = row_parts(s, index);
  if (parts) body_.variable("vec::i64", parts->count, 0);
  open_loops(row.scalar, e, 1 + s.loops.size(), parts);
  if (row.vector) {
    const bool in_parts = parts && parts->plan.loop == row.scalar.size();
    write_vector_loop(*row.vector, index, in_parts ? parts : std::nullopt, e.lines.back(), changes);
  } else {
    body_.constant("const int", "u", "0");
    body_.add(changes);
  }
  close_loops(row.scalar.size(), parts);
  if (parts) body_.add(parts->after);
  write_results(s, index, around);
  close_loops(s.loops.size());
}

Statements RowsWriter::updates(const Segment& s, size_t index, ValueEmitter& e, const Code& lanes) const {
  Statements updates;
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    Code value = e.emit(red.value), position;
    if (is_arg(red)) position = e.emit(view_.program().exprs->index(red.position));
    updates.push_back(plain(accumulate_text(red, accumulator_name(index, r) + "[u]", value, position, lanes)));
  }
  return updates;
}

// Sets the accumulators of a reduction to its start value.
Statement RowsWriter::start(const ir::Reduction& red, const Code& a) const {
  const int64_t count = plan_.accumulators;
  if (count == 1) return plain(code("{}[0] = {};", a, accumulator_start(red)));
  const Statement one = plain(code("{}[u] = {};", a, accumulator_start(red)));
  return {For{.type = "int", .variable = "u", .end = Code(count), .body = {one}}};
}

void RowsWriter::declare_accumulators(const Segment& s, size_t index) {
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    Code a = accumulator_name(index, r);
    body_.array(accumulator_type(red).text(), a, Code(plan_.accumulators));
    body_.add(start(red, a));
    if (has_total(index, r)) body_.variable("vec::V<double>", total_name(index, r), "vec::set1<double>(0)");
  }
}

// Combines the accumulators of a reduction in the first one, neighbours first.
Statements RowsWriter::combine(const Segment& s, size_t index, size_t r) const {
  const auto& red = s.reductions[r];
  const Code a = accumulator_name(index, r);
  Statements lines;
  for (int64_t apart = 1; apart < plan_.accumulators; apart *= 2)
    for (int64_t to = 0; to + apart < plan_.accumulators; to += 2 * apart)
      lines.push_back(
          plain(code("{}[{}] = {};", a, to, combine_text(red, code("{}[{}]", a, to), code("{}[{}]", a, to + apart)))));
  return lines;
}

// Statements that add the accumulators to the totals after a part of a long sum.
std::optional<LoopsWriter::Parts> RowsWriter::row_parts(const Segment& s, size_t index) const {
  auto parts = parts_of(index);
  for (size_t r = 0; parts && r < s.reductions.size(); r++) {
    if (!has_total(index, r)) continue;
    auto lines = combine(s, index, r);
    const Code a = accumulator_name(index, r);
    lines.push_back(plain(add_to_total(total_name(index, r), a + "[0]")));
    parts->reset.push_back(start(s.reductions[r], a));
    parts->after.insert(parts->after.end(), lines.begin(), lines.end());
  }
  return parts;
}

// The number of points in this many vectors.
static Code lanes(int64_t vectors) { return vectors < 2 ? times("vec::L", vectors) : code("{} * vec::L", vectors); }

void RowsWriter::write_vector_loop(const Loop& vector_loop, size_t index, const std::optional<Parts>& parts,
                                   const Statements& values, const Statements& updates) {
  open_body(vector_loop, index, ", const int u");
  body_.add(values);
  body_.add(updates);
  body_.close();
  Code extent = named("extent", index_text(vector_loop.extent));
  if (parts) {
    open_parts(extent, *parts);
    extent = "part_end";
  }
  body_.variable("vec::i64", "at", parts ? Code("part") : 0);
  const int64_t several = plan_.accumulators;
  if (several > 1) {
    body_.open(For{.variable = "at", .begin = {}, .end = extent, .step = lanes(several), .whole_steps = true});
    for (int64_t u = 0; u < several; u++) body_.line("body({}, vec::All{{}}, {});", sum("at", lanes(u)), u);
    body_.close();
  }
  call_by_vectors(extent, [](const Code& at, const Code& n) { return code("body({}, {}, 0)", at, n); });
  if (parts) close_parts(*parts);
}

// Combines the accumulators over vectors and lanes and stores values that depend on them; `around` are the variables of
// the loops around the reduction.
void RowsWriter::write_results(const Segment& s, size_t index, const std::vector<const ir::IndexNode*>& around) {
  ValueEmitter after(context_, around, nullptr, "vec::Tail{1}");
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    Code a = accumulator_name(index, r), name = a + "_all";
    if (is_arg(red)) {
      for (int64_t u = 1; u < plan_.accumulators; u++) body_.line("{0}[0].merge({0}[{1}]);", a, u);
    } else if (!has_total(index, r)) {
      body_.add(combine(s, index, r));
    }
    const Code all = has_total(index, r) ? code("vec::convert<float>({})", over_lanes_text(red, total_name(index, r)))
                                         : over_lanes_text(red, a + "[0]");
    body_.constant("const auto", name, "{}", all);
    after.bind_accumulator(int(r), name, int(around.size()));
  }
  after.store(s.stores);
  for (const auto& lines : after.lines) body_.add(lines);
}

KernelText RowsPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return RowsWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
