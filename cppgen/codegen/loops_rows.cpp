// Kernels whose lanes are points of each segment's innermost loop: reductions along contiguous rows and their
// pointwise neighbours.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Place;
using schedule::Segment;

namespace {
constexpr int kRowAccumulators = 4;

IndexExpr segment_points(const Segment& s) {
  IndexExpr n = 1;
  for (const auto& l : s.loops) n = n * l.extent;
  for (const auto& l : s.reduced) n = n * l.extent;
  return n;
}
}  // namespace

void LoopsWriter::write_body() {
  has_inner_ = std::any_of(kernel_.segments.begin(), kernel_.segments.end(),
                           [](const Segment& s) { return !s.loops.empty() || !s.reduced.empty(); });
  if (kernel_.transpose_loop >= 0 && kernel_.segments.size() == 1 && target_.lanes > 1) return write_transposed();
  if (kernel_.vector_outer) return write_columns();
  write_rows();
}

void LoopsWriter::declare_locals() {
  int64_t scratch = 0;
  for (const auto& l : kernel_.locals) {
    DType type = schedule_.program.buffer(l.buffer).type;
    if (l.place == Place::value) {
      std::string name = fmt::format("v{}", context_.next_value++);
      std::string value =
          type == DType::boolean ? "vec::M" : fmt::format("vec::V<{}>", lane_type(ir::value_type(type)));
      bool array = kernel_.vector_outer && unroll_ > 1;
      body_.line("{} {}{};", value, name, array ? "[U]" : "");
      context_.pointers[l.buffer] = array ? name + "[u]" : name;
    } else {
      std::string name = fmt::format("r{}", context_.next_value++);
      body_.line("{0}* const {1} = ({0}*)(args->scratch + {2});", storage_type(type), name, scratch);
      context_.pointers[l.buffer] = name;
      scratch += (l.elements.constant() * int64_t(size_of(type)) + 63) / 64 * 64;
    }
  }
  text_.scratch_bytes = scratch;
}

void LoopsWriter::write_rows() {
  text_.range = 1;
  for (const auto& l : kernel_.outer) text_.range = text_.range * l.extent;
  text_.unit_work = 0;
  for (const Segment& s : kernel_.segments) text_.unit_work = text_.unit_work + segment_points(s);
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
    std::vector<Expr> roots;
    for (const auto& r : s.reductions) roots.push_back(r.value);
    for (const auto* stores : {&s.body, &s.stores})
      for (const auto& st : *stores) roots.push_back(st.value);
    std::vector<Expr> loads = ir::postorder(roots);
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
  bool reduces = !s.reductions.empty();
  body_.open_text("");
  std::vector<const ir::IndexNode*> outer_variables;
  std::vector<Loop> scalar_loops = s.loops;
  std::optional<Loop> pointwise_vector;
  if (!reduces && !scalar_loops.empty()) {
    pointwise_vector = scalar_loops.back();
    scalar_loops.pop_back();
  }
  for (const auto& l : scalar_loops) name_loop(l);

  // Everything outside the vector loop is emitted by one emitter per part, so hoisting stays local to this block.
  auto open_scalar_loops = [&](const std::vector<Loop>& loops, ValueEmitter& e, size_t first_level) {
    for (size_t i = 0; i < loops.size(); i++) {
      std::string name = index_text(loops[i].var);
      body_.open("for (vec::i64 {0} = 0; {0} < {1}; {0}++)", name, index_text(loops[i].extent));
      add_lines(e.lines[first_level + i]);
    }
  };
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : scalar_loops) variables.push_back(l.var.node());

  if (!reduces) {
    std::string v;
    if (pointwise_vector) v = name_loop(*pointwise_vector), variables.push_back(pointwise_vector->var.node());
    ValueEmitter e(context_, variables, pointwise_vector ? pointwise_vector->var.node() : nullptr,
                   pointwise_vector ? "n" : "vec::Tail{1}");
    e.store(s.stores);
    add_lines(e.lines[0]);
    open_scalar_loops(scalar_loops, e, 1);
    if (pointwise_vector) {
      body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", v);
      add_lines(prefetch_next_row(index, *pointwise_vector));
      add_lines(e.lines.back());
      body_.close("};");
      body_.line("const vec::i64 extent = {};", index_text(pointwise_vector->extent));
      body_.line("vec::i64 at = 0;");
      body_.line("for (; at + vec::L <= extent; at += vec::L) body(at, vec::All{{}});");
      body_.line("if (at < extent) body(at, vec::Tail{{int(extent - at)}});");
    }
    for (size_t i = 0; i < scalar_loops.size(); i++) body_.close();
    body_.close();
    return;
  }

  // Reduction: scalar loops, then reduced loops of which the last is the vector loop.
  std::vector<Loop> reduced_scalar(s.reduced.begin(), s.reduced.end());
  std::optional<Loop> vector_loop;
  if (!reduced_scalar.empty()) vector_loop = reduced_scalar.back(), reduced_scalar.pop_back();
  for (const auto& l : reduced_scalar) name_loop(l), variables.push_back(l.var.node());
  std::string v;
  if (vector_loop) v = name_loop(*vector_loop), variables.push_back(vector_loop->var.node());
  const int count = kRowAccumulators;
  auto accumulator = [&](size_t r) { return fmt::format("a{}_{}", index, r); };

  ValueEmitter e(context_, variables, vector_loop ? vector_loop->var.node() : nullptr,
                 vector_loop ? "n" : "vec::Tail{1}");
  std::vector<std::string> updates;
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    std::string value = e.emit(red.value), position;
    if (is_arg(red)) position = e.emit(schedule_.program.exprs->index(red.position));
    updates.push_back(
        accumulate_text(red, accumulator(r) + "[u]", value, position, vector_loop ? "n" : "vec::Tail{1}"));
  }
  e.store(s.body);
  add_lines(e.lines[0]);
  open_scalar_loops(scalar_loops, e, 1);
  for (size_t r = 0; r < s.reductions.size(); r++) {
    body_.line("{} {}[{}];", accumulator_type(s.reductions[r]), accumulator(r), count);
    body_.line("for (int u = 0; u < {}; u++) {}[u] = {};", count, accumulator(r), accumulator_start(s.reductions[r]));
  }
  open_scalar_loops(reduced_scalar, e, 1 + scalar_loops.size());
  if (vector_loop) {
    body_.open("auto body = [&](const vec::i64 {}, auto n, const int u) CPPGEN_LAMBDA", v);
    add_lines(prefetch_next_row(index, *vector_loop));
    add_lines(e.lines.back());
    add_lines(updates);
    body_.close("};");
    body_.line("const vec::i64 extent = {};", index_text(vector_loop->extent));
    body_.line("vec::i64 at = 0;");
    body_.open("for (; at + {0} * vec::L <= extent; at += {0} * vec::L)", count);
    for (int u = 0; u < count; u++) body_.line("body(at + {0} * vec::L, vec::All{{}}, {0});", u);
    body_.close();
    body_.line("for (; at + vec::L <= extent; at += vec::L) body(at, vec::All{{}}, 0);");
    body_.line("if (at < extent) body(at, vec::Tail{{int(extent - at)}}, 0);");
  } else {
    body_.line("const int u = 0;");
    add_lines(updates);
  }
  for (size_t i = 0; i < reduced_scalar.size(); i++) body_.close();

  ValueEmitter after(
      context_, std::vector<const ir::IndexNode*>(variables.begin(), variables.begin() + long(scalar_loops.size())),
      nullptr, "vec::Tail{1}");
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    std::string a = accumulator(r), name = fmt::format("{}_all", a);
    if (is_arg(red)) {
      for (int u = 1; u < count; u++) body_.line("{0}[0].merge({0}[{1}]);", a, u);
    } else {
      body_.line("{0}[0] = {1};", a, combine_text(red, a + "[0]", a + "[1]"));
      body_.line("{0}[2] = {1};", a, combine_text(red, a + "[2]", a + "[3]"));
      body_.line("{0}[0] = {1};", a, combine_text(red, a + "[0]", a + "[2]"));
    }
    body_.line("const auto {} = {};", name, over_lanes_text(red, a + "[0]"));
    after.bind_accumulator(int(r), name, int(scalar_loops.size()));
  }
  after.store(s.stores);
  for (const auto& lines : after.lines) add_lines(lines);
  for (size_t i = 0; i < scalar_loops.size(); i++) body_.close();
  body_.close();
}

}  // namespace cppgen::codegen
