// Kernels whose lanes are points of the last outer loop: pointwise kernels, pooling, sums over slow dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Segment;

namespace {

constexpr int64_t kPointwiseBlock = 2048;  // elements of one unit of a pointwise kernel
constexpr int64_t kUnitWork = 16384;       // elements that a unit with inner loops should touch, roughly
constexpr int kColumnUnroll = 4;
constexpr int kFarColumnUnroll = 8;  // where each row is far from the last: more of it at once
constexpr int kLongChain = 64;       // instructions
constexpr int kVeryLongChain = 128;  // twice as many vectors then: worth twice the code to compile
constexpr int64_t kRowsAhead = 16;   // steps of a reduction between a prefetch and its use
constexpr int64_t kFarRow = 2048;    // bytes of such a step from which on it is done

// Roughly how many instructions one value of this kind takes beyond a single one.
int length_of(Expr e) {
  using ir::UnaryOp;
  if (e->kind != ir::ExprKind::unary || !is_float(e->type)) return 0;
  switch (e->unary) {
    case UnaryOp::exp:
    case UnaryOp::log:
    case UnaryOp::tanh:
    case UnaryOp::sigmoid:
      return 20;
    case UnaryOp::erf:
      return 30;
    case UnaryOp::sin:
    case UnaryOp::cos:
      return 30;
    default:
      return 0;
  }
}

}  // namespace

// A core looks ahead over some hundred instructions: in kernels so long that it sees little more than one vector's
// chain of operations at once, the chains of several vectors are interleaved.
int LoopsWriter::choose_chains() const {
  if (has_inner_ || target_.lanes == 1 || !kernel_.locals.empty()) return 1;
  std::vector<Expr> roots;
  for (const Segment& s : kernel_.segments)
    for (const auto& st : s.stores) {
      if (!st.indirects.empty()) return 1;
      roots.push_back(st.value);
    }
  int length = 0;  // of the longest chain: what runs beside it overlaps anyway
  std::unordered_map<Expr, int> until;
  for (Expr e : ir::postorder(roots)) {
    if (!e->indirects.empty() || size_of(e->type) > 4) return 1;
    int before = 0;
    for (Expr x : e->args) before = std::max(before, until.at(x));
    until[e] = before + length_of(e) + 1;
    length = std::max(length, until[e]);
  }
  if (length < kLongChain) return 1;
  return length < kVeryLongChain ? 4 : 8;
}

int LoopsWriter::choose_unroll() const {
  int unroll = 1;
  for (const Segment& s : kernel_.segments)
    if (!s.reductions.empty()) unroll = std::max(unroll, far_loads(s).empty() ? kColumnUnroll : kFarColumnUnroll);
  const int64_t extent = constant_or(kernel_.outer.back().extent, 1 << 20);
  while (unroll > 1 && extent < int64_t(unroll) * target_.lanes) unroll = unroll > kColumnUnroll ? kColumnUnroll : 1;
  return unroll;
}

int64_t LoopsWriter::choose_block() const {
  int64_t lanes = target_.lanes, extent = constant_or(kernel_.outer.back().extent, kPointwiseBlock * 4);
  if (!has_inner_) return extent <= 2 * kPointwiseBlock ? std::max<int64_t>(extent, 1) : kPointwiseBlock;
  int64_t inner = 1;
  for (const Segment& s : kernel_.segments) inner += constant_or(points(s), 64);
  int64_t step = lanes * unroll_;
  int64_t block = std::max(step, kUnitWork / inner / step * step);
  return std::min(block, std::max<int64_t>(extent, 1));
}

void LoopsWriter::write_columns() {
  const Loop& last = kernel_.outer.back();
  unroll_ = choose_unroll();
  block_ = choose_block();
  chains_ = choose_chains();
  UnitPart part = write_column_units();
  std::string v = name_loop(last);
  std::vector<std::string> hoisted;
  std::string inside = column_point(hoisted);
  add_lines(hoisted);
  const bool vectors = unroll_ > 1;
  body_.open("auto point = [&](const vec::i64 {}, auto n{}) CPPGEN_LAMBDA", vectors ? "start" : v,
             vectors || chains_ > 1 ? ", auto width" : "");
  if (vectors) body_.line("constexpr int U = decltype(width)::value;");
  if (!inside.empty()) body_.text_line(std::string_view(inside).substr(0, inside.size() - 1));
  body_.close("};");
  body_.line("vec::i64 at = {};", part.start);
  body_.line("const vec::i64 stop = {};", part.stop);
  column_loops();
}

// Declares the positions of the outer loops but the last `inner_loops`; returns the part of the last loop that is the
// unit's.
LoopsWriter::UnitPart LoopsWriter::write_column_units(size_t inner_loops) {
  const Loop& last = kernel_.outer.back();
  const IndexExpr blocks = ir::ceildiv(last.extent, block_);
  const std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - long(inner_loops));
  text_.range = blocks;
  for (const auto& l : units) text_.range = text_.range * l.extent;
  IndexExpr work = 0;
  for (const Segment& s : kernel_.segments) work = work + points(s);
  text_.unit_work = work * block_;
  for (size_t i = units.size(); i + 1 < kernel_.outer.size(); i++)
    text_.unit_work = text_.unit_work * kernel_.outer[i].extent;

  const bool one_block = blocks.is_constant(1), split = !one_block && !units.empty();
  if (split) body_.line("const vec::i64 block = unit % ({0}), outer = unit / ({0});", index_text(blocks));
  decompose(body_, split ? "outer" : "unit", units);
  const std::string extent = index_text(last.extent);
  if (one_block) return {"0", extent};
  const std::string start = fmt::format("{} * {}", split ? "block" : "unit", block_);
  return {start, fmt::format("vec::imin({}, {} + {})", extent, start, block_)};
}

// What is done at one position of the last loop.
std::string LoopsWriter::column_point(std::vector<std::string>& hoisted) {
  TextWriter around;
  std::swap(body_, around);
  declare_locals();
  for (size_t i = 0; i < kernel_.segments.size(); i++) column_segment(kernel_.segments[i], i, hoisted);
  std::swap(body_, around);
  return around.take();
}

// Calls `point` for all positions of the unit.
void LoopsWriter::column_loops() {
  constexpr const char* wide =
      "for (; at + {0} * vec::L <= stop; at += {0} * vec::L) point(at, vec::All{{}}, vec::Int<{0}>{{}});";
  if (chains_ > 1) {
    body_.line(wide, chains_);
    // Full vectors as tails, too: one copy of a long body less to compile.
    body_.line(
        "for (; at < stop; at += vec::L) point(at, vec::Tail{{int(vec::imin(stop - at, vec::L))}}, vec::Int<1>{{}});");
    return;
  }
  const char* one = unroll_ > 1 ? ", vec::Int<1>{}" : "";
  if (unroll_ > 1) body_.line(wide, unroll_);
  body_.line("for (; at + vec::L <= stop; at += vec::L) point(at, vec::All{{}}{});", one);
  body_.line("if (at < stop) point(at, vec::Tail{{int(stop - at)}}{});", one);
}

// What the innermost reduced loop reads at steps of whole pages or nearly so: the hardware does not foresee those.
std::vector<LoopsWriter::FarLoad> LoopsWriter::far_loads(const Segment& s) const {
  std::vector<FarLoad> found;
  if (s.reduced.empty() || constant_or(s.reduced.back().extent, 0) < 4 * kRowsAhead) return found;
  const auto* row = s.reduced.back().var.node();
  std::vector<Expr> roots;
  for (const auto& r : s.reductions) roots.push_back(r.value);
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load || context_.local(e->buffer) || !e->guards.empty() || !e->indirects.empty())
      continue;
    const IndexExpr offset = context_.offset(e->buffer, e->indices);
    const auto across = ir::stride_of(offset, kernel_.outer.back().var.node()), step = ir::stride_of(offset, row);
    if (!across || !across->is_constant(1) || !step) continue;
    const int64_t bytes = constant_or(*step, 0) * int64_t(size_of(schedule_.program.buffer(e->buffer).type));
    if (bytes >= kFarRow) found.push_back({e, offset});
  }
  return found;
}

// Lines that ask for what far loads read some steps later.
std::vector<std::string> LoopsWriter::prefetch_later_rows(const Segment& s) const {
  std::vector<std::string> lines;
  for (const FarLoad& far : far_loads(s)) {
    const Loop& row = s.reduced.back();
    const IndexExpr later = ir::substitute(far.offset, {{row.var.node(), row.var + kRowsAhead}});
    lines.push_back(fmt::format("vec::prefetch({} + {});", context_.pointers.at(far.load->buffer), index_text(later)));
  }
  return lines;
}

std::string LoopsWriter::column_accumulator(size_t segment, size_t reduction) const {
  return accumulator_name(segment, reduction) + (unroll_ > 1 ? "[u]" : "");
}

// Opens the loop over vectors side by side, if there are several.
void LoopsWriter::open_vectors() {
  if (unroll_ == 1) return;
  body_.text_line("_Pragma(\"GCC unroll 8\")");
  body_.open("for (int u = 0; u < U; u++)");
  if (across_)
    body_.line("const vec::i64 {} = first + u;", index_text(across_->var));
  else
    body_.line("const vec::i64 {} = start + u * vec::L;", index_text(kernel_.outer.back().var));
}

void LoopsWriter::close_vectors() {
  if (unroll_ > 1) body_.close();
}

std::string LoopsWriter::column_update(const Segment& s, size_t index, size_t r, ValueEmitter& e) const {
  const auto& red = s.reductions[r];
  const std::string a = column_accumulator(index, r);
  const bool multiply = red.op == ir::ReduceOp::sum && is_float(red.type) && red.value->kind == ir::ExprKind::binary &&
                        red.value->binary == ir::BinaryOp::mul;
  if (multiply) {
    const std::string left = e.emit(red.value->args[0]), right = e.emit(red.value->args[1]);
    return fmt::format("{0} = vec::fma({1}, {2}, {0});", a, left, right);
  }
  const std::string value = e.emit(red.value);
  const std::string position = is_arg(red) ? e.emit(schedule_.program.exprs->index(red.position)) : "";
  return accumulate_text(red, a, value, position, "");
}

void LoopsWriter::declare_column_accumulators(const Segment& s, size_t index) {
  const auto declare = [&](const ir::Reduction& red, const std::string& name) {
    const std::string type = accumulator_type(red), start = accumulator_start(red);
    if (unroll_ > 1) {
      body_.line("{} {}[U];", type, name);
      body_.line("for (int u = 0; u < U; u++) {}[u] = {};", name, start);
    } else {
      body_.line("{} {} = {};", type, name, start);
    }
  };
  for (size_t r = 0; r < s.reductions.size(); r++) {
    declare(s.reductions[r], accumulator_name(index, r));
    if (has_total(s, r)) declare(s.reductions[r], total_name(index, r));
  }
}

void LoopsWriter::column_segment(const Segment& s, size_t index, std::vector<std::string>& hoisted) {
  const Loop& last = kernel_.outer.back();
  const bool reduces = !s.reductions.empty();
  std::vector<const ir::IndexNode*> variables;
  for (const auto* loops : {&s.loops, &s.reduced})
    for (const auto& l : *loops) name_loop(l), variables.push_back(l.var.node());
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());

  ValueEmitter body(context_, variables, last.var.node(), "n");
  if (across_) body.assume_inside(across_->var.node(), "inside");
  if (chains_ > 1) body.compute_side_by_side();
  std::vector<std::string> updates;
  for (size_t r = 0; r < s.reductions.size(); r++) updates.push_back(column_update(s, index, r, body));
  body.store(reduces ? s.body : s.stores);
  hoisted.insert(hoisted.end(), body.lines[0].begin(), body.lines[0].end());

  open_loops(s.loops, body, 1);
  declare_column_accumulators(s, index);
  const auto parts = column_parts(s, index);
  if (parts) body_.line("vec::i64 {} = 0;", parts->count);
  open_loops(s.reduced, body, 1 + s.loops.size(), parts);
  open_vectors();
  add_lines(prefetch_later_rows(s));
  if (across_) add_lines(body.lines[body.lines.size() - 2]);
  add_lines(body.lines.back());
  add_lines(updates);
  close_vectors();
  close_loops(s.reduced.size(), parts);
  if (parts) add_lines(parts->after);
  if (reduces && !s.stores.empty()) column_results(s, index, hoisted);
  close_loops(s.loops.size());
}

// Stores what follows from the finished accumulators.
void LoopsWriter::column_results(const Segment& s, size_t index, std::vector<std::string>& hoisted) {
  const Loop& last = kernel_.outer.back();
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : s.loops) variables.push_back(l.var.node());
  const size_t around = variables.size();
  if (across_) variables.push_back(across_->var.node());
  variables.push_back(last.var.node());
  ValueEmitter after(context_, variables, last.var.node(), "n");
  for (size_t r = 0; r < s.reductions.size(); r++)
    after.bind_accumulator(int(r), per_lane_text(s.reductions[r], column_result(s, index, r)), int(variables.size()));
  after.store(s.stores);
  hoisted.insert(hoisted.end(), after.lines[0].begin(), after.lines[0].end());
  for (size_t i = 1; i <= around; i++) add_lines(after.lines[i]);
  open_vectors();
  for (size_t i = around + 1; i < after.lines.size(); i++) add_lines(after.lines[i]);
  close_vectors();
}

}  // namespace cppgen::codegen
