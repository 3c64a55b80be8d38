// Kernels whose lanes are points of the last outer loop: pointwise kernels, pooling, sums over slow dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Segment;

namespace {

constexpr int64_t kPointwiseBlock = 2048;  // elements of one unit of a pointwise kernel
constexpr int64_t kUnitWork = 16384;       // elements that a unit with inner loops should touch, roughly
constexpr int kColumnUnroll = 4;
constexpr int kLongChain = 64;         // instructions
constexpr int kVeryLongChain = 128;    // twice as many vectors then: worth twice the code to compile
constexpr int64_t kRowsAhead = 16;     // steps of a reduction between a prefetch and its use
constexpr int64_t kFarRow = 2048;      // bytes of such a step from which on it is done
constexpr int64_t kTileBytes = 16384;  // of all tiles of a transposed kernel

int64_t constant_or(IndexExpr e, int64_t otherwise) { return e.is_constant() ? e.constant() : otherwise; }

IndexExpr inner_points(const Segment& s) {
  IndexExpr n = 1;
  for (const auto& l : s.loops) n = n * l.extent;
  for (const auto& l : s.reduced) n = n * l.extent;
  return n;
}

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

int64_t LoopsWriter::choose_block() const {
  int64_t lanes = target_.lanes, extent = constant_or(kernel_.outer.back().extent, kPointwiseBlock * 4);
  if (!has_inner_) return extent <= 2 * kPointwiseBlock ? std::max<int64_t>(extent, 1) : kPointwiseBlock;
  int64_t inner = 1;
  for (const Segment& s : kernel_.segments) inner += constant_or(inner_points(s), 64);
  int64_t step = lanes * unroll_;
  int64_t block = std::max(step, kUnitWork / inner / step * step);
  return std::min(block, std::max<int64_t>(extent, 1));
}

void LoopsWriter::write_columns() {
  const Loop& last = kernel_.outer.back();
  unroll_ = 1;
  for (const Segment& s : kernel_.segments)
    if (!s.reductions.empty()) unroll_ = kColumnUnroll;
  if (constant_or(last.extent, 1 << 20) < int64_t(unroll_) * target_.lanes) unroll_ = 1;
  block_ = choose_block();
  chains_ = choose_chains();

  IndexExpr blocks = ir::ceildiv(last.extent, block_);
  std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - 1);
  IndexExpr range = blocks;
  for (const auto& l : units) range = range * l.extent;
  text_.range = range;
  IndexExpr work = 0;
  for (const Segment& s : kernel_.segments) work = work + inner_points(s);
  text_.unit_work = work * block_;

  bool one_block = blocks.is_constant(1);
  std::string outer_units = "unit";
  if (!one_block && !units.empty()) {
    body_.line("const vec::i64 block = unit % ({}), outer = unit / ({});", index_text(blocks), index_text(blocks));
    outer_units = "outer";
  }
  decompose(body_, outer_units, units);
  std::string v = name_loop(last), extent = index_text(last.extent);
  std::string start = one_block ? "0" : fmt::format("{} * {}", units.empty() ? "unit" : "block", block_);
  std::string stop = one_block ? extent : fmt::format("vec::imin({}, {} + {})", extent, start, block_);

  TextWriter hoisted, point;
  hoisted.indent(), hoisted.indent();
  std::swap(body_, point);
  body_ = TextWriter();
  body_.indent(), body_.indent(), body_.indent();
  declare_locals();
  for (size_t i = 0; i < kernel_.segments.size(); i++) column_segment(kernel_.segments[i], i, hoisted);
  body_.dedent(), body_.dedent(), body_.dedent();
  std::string inside = body_.take();
  body_ = std::move(point);
  hoisted.dedent(), hoisted.dedent();
  std::string before = hoisted.take();

  std::string text = before;
  std::string indent = "    ";
  bool vectors = unroll_ > 1;
  text += indent + fmt::format("auto point = [&](const vec::i64 {}, auto n{}) CPPGEN_LAMBDA {{\n",
                               vectors ? "start" : v, vectors || chains_ > 1 ? ", auto width" : "");
  if (vectors) text += indent + "  constexpr int U = decltype(width)::value;\n";
  text += inside + indent + "};\n";
  text += indent + fmt::format("vec::i64 at = {};\n", start);
  text += indent + fmt::format("const vec::i64 stop = {};\n", stop);
  if (chains_ > 1) {
    text += indent +
            fmt::format(
                "for (; at + {0} * vec::L <= stop; at += {0} * vec::L) point(at, vec::All{{}}, vec::Int<{0}>{{}});\n",
                chains_);
    // Full vectors as tails, too: one copy of a long body less to compile.
    text += indent +
            "for (; at < stop; at += vec::L) point(at, vec::Tail{int(vec::imin(stop - at, vec::L))}, vec::Int<1>{});";
    body_.dedent(), body_.dedent();
    body_.text_line(text);
    body_.indent(), body_.indent();
    return;
  }
  std::string one = vectors ? ", vec::Int<1>{}" : "";
  if (vectors)
    text += indent +
            fmt::format(
                "for (; at + {0} * vec::L <= stop; at += {0} * vec::L) point(at, vec::All{{}}, vec::Int<{0}>{{}});\n",
                unroll_);
  text += indent + fmt::format("for (; at + vec::L <= stop; at += vec::L) point(at, vec::All{{}}{});\n", one);
  text += indent + fmt::format("if (at < stop) point(at, vec::Tail{{int(stop - at)}}{});", one);
  body_.dedent(), body_.dedent();
  body_.text_line(text);
  body_.indent(), body_.indent();
}

// Lines that ask for what the innermost reduced loop reads some steps later: where its steps are whole pages or nearly
// so, the hardware does not foresee them.
std::vector<std::string> LoopsWriter::prefetch_later_rows(const Segment& s) const {
  std::vector<std::string> lines;
  if (s.reduced.empty() || constant_or(s.reduced.back().extent, 0) < 4 * kRowsAhead) return lines;
  const auto* row = s.reduced.back().var.node();
  std::vector<Expr> roots;
  for (const auto& r : s.reductions) roots.push_back(r.value);
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load || context_.local(e->buffer) || !e->guards.empty() || !e->indirects.empty())
      continue;
    IndexExpr offset = context_.offset(e->buffer, e->indices);
    auto across = ir::stride_of(offset, kernel_.outer.back().var.node()), step = ir::stride_of(offset, row);
    if (!across || !across->is_constant(1) || !step) continue;
    int64_t bytes = constant_or(*step, 0) * int64_t(size_of(schedule_.program.buffer(e->buffer).type));
    if (bytes < kFarRow) continue;
    IndexExpr later = ir::substitute(offset, {{row, s.reduced.back().var + kRowsAhead}});
    lines.push_back(fmt::format("vec::prefetch({} + {});", context_.pointers.at(e->buffer), index_text(later)));
  }
  return lines;
}

void LoopsWriter::column_segment(const Segment& s, size_t index, TextWriter& hoisted) {
  bool vectors = unroll_ > 1;
  const Loop& last = kernel_.outer.back();
  std::string v = index_text(last.var);
  auto at_vector = [&]() {
    if (!vectors) return;
    body_.text_line("_Pragma(\"GCC unroll 8\")");
    body_.open("for (int u = 0; u < U; u++)");
    body_.line("const vec::i64 {} = start + u * vec::L;", v);
  };
  auto end_vector = [&]() {
    if (vectors) body_.close();
  };
  auto accumulator = [&](size_t r) { return fmt::format("a{}_{}{}", index, r, vectors ? "[u]" : ""); };

  std::vector<Loop> loops = s.loops;
  std::vector<const ir::IndexNode*> variables;
  for (const auto& l : loops) name_loop(l), variables.push_back(l.var.node());
  for (const auto& l : s.reduced) name_loop(l), variables.push_back(l.var.node());
  variables.push_back(last.var.node());
  auto open_loop = [&](const Loop& l) {
    std::string name = index_text(l.var);
    body_.open("for (vec::i64 {0} = 0; {0} < {1}; {0}++)", name, index_text(l.extent));
  };

  ValueEmitter body(context_, variables, last.var.node(), "n");
  if (chains_ > 1) body.compute_side_by_side();
  std::vector<std::string> updates;
  for (size_t r = 0; r < s.reductions.size(); r++) {
    const auto& red = s.reductions[r];
    bool multiply = red.op == ir::ReduceOp::sum && is_float(red.type) && red.value->kind == ir::ExprKind::binary &&
                    red.value->binary == ir::BinaryOp::mul;
    if (multiply) {
      std::string a = body.emit(red.value->args[0]), b = body.emit(red.value->args[1]);
      updates.push_back(fmt::format("{0} = vec::fma({1}, {2}, {0});", accumulator(r), a, b));
    } else {
      std::string value = body.emit(red.value), position;
      if (is_arg(red)) position = body.emit(schedule_.program.exprs->index(red.position));
      updates.push_back(accumulate_text(red, accumulator(r), value, position, ""));
    }
  }
  bool reduces = !s.reductions.empty();
  body.store(reduces ? s.body : s.stores);
  for (const auto& l : body.lines[0]) hoisted.text_line(l);

  size_t level = 0;
  for (const auto& l : loops) {
    open_loop(l);
    add_lines(body.lines[++level]);
  }
  if (reduces) {
    for (size_t r = 0; r < s.reductions.size(); r++) {
      const auto& red = s.reductions[r];
      if (vectors) {
        body_.line("{} a{}_{}[U];", accumulator_type(red), index, r);
        body_.line("for (int u = 0; u < U; u++) {} = {};", accumulator(r), accumulator_start(red));
      } else {
        body_.line("{} a{}_{} = {};", accumulator_type(red), index, r, accumulator_start(red));
      }
    }
  }
  for (const auto& l : s.reduced) {
    open_loop(l);
    add_lines(body.lines[++level]);
  }
  at_vector();
  add_lines(prefetch_later_rows(s));
  add_lines(body.lines[++level]);
  add_lines(updates);
  end_vector();
  for (size_t i = 0; i < s.reduced.size(); i++) body_.close();
  if (reduces && !s.stores.empty()) {
    std::vector<const ir::IndexNode*> outer_variables;
    for (const auto& l : loops) outer_variables.push_back(l.var.node());
    outer_variables.push_back(last.var.node());
    ValueEmitter after(context_, outer_variables, last.var.node(), "n");
    for (size_t r = 0; r < s.reductions.size(); r++)
      after.bind_accumulator(int(r), per_lane_text(s.reductions[r], accumulator(r)), int(outer_variables.size()));
    after.store(s.stores);
    for (const auto& l : after.lines[0]) hoisted.text_line(l);
    for (size_t i = 1; i + 1 < after.lines.size(); i++) add_lines(after.lines[i]);
    at_vector();
    add_lines(after.lines.back());
    end_vector();
  }
  for (size_t i = 0; i < loops.size(); i++) body_.close();
}

// The loads whose lanes lie `across` elements apart along the last loop but next to each other along the tile loop.
std::vector<LoopsWriter::TransposedLoad> LoopsWriter::transposed_loads(const Loop& tile_loop, const Loop& last) const {
  std::vector<Expr> roots;
  for (const auto& st : kernel_.segments[0].stores) roots.push_back(st.value);
  std::vector<TransposedLoad> found;
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    IndexExpr offset = context_.offset(e->buffer, e->indices);
    auto across = ir::stride_of(offset, last.var.node()), along = ir::stride_of(offset, tile_loop.var.node());
    if (!across || across->is_constant(0) || across->is_constant(1) || !along || !along->is_constant(1)) continue;
    found.push_back({e, offset, *across});
  }
  return found;
}

// The side of a square tile: several cache lines, so that neither side's memory is touched one line at a time, as long
// as all tiles stay in the first-level cache.
int64_t LoopsWriter::tile_side(const std::vector<TransposedLoad>& loads, const Loop& tile_loop,
                               const Loop& last) const {
  int64_t bytes = 0, lanes = target_.lanes;
  for (const auto& l : loads) bytes += int64_t(size_of(schedule_.program.buffer(l.load->buffer).type));
  int64_t side = 4 * lanes;
  while (side > lanes && side * side * bytes > kTileBytes) side /= 2;
  int64_t longest = std::max(constant_or(tile_loop.extent, side), constant_or(last.extent, side));
  return std::min(side, (longest + lanes - 1) / lanes * lanes);
}

void LoopsWriter::write_transposed() {
  const Loop tile_loop = kernel_.outer[size_t(kernel_.transpose_loop)], last = kernel_.outer.back();
  std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - 2);
  auto loads = transposed_loads(tile_loop, last);
  int64_t side = tile_side(loads, tile_loop, last);
  int64_t width = std::max(side, kUnitWork / side);  // columns of a unit
  IndexExpr blocks = ir::ceildiv(tile_loop.extent, side), parts = ir::ceildiv(last.extent, width);
  text_.range = blocks * parts;
  for (const auto& l : units) text_.range = text_.range * l.extent;
  text_.unit_work = side * width;

  body_.line("const vec::i64 part = unit % ({}), rest = unit / ({});", index_text(parts), index_text(parts));
  body_.line("const vec::i64 block = rest % ({}), outer = rest / ({});", index_text(blocks), index_text(blocks));
  if (units.empty()) body_.line("(void)outer;");
  decompose(body_, "outer", units);
  std::string row = name_loop(tile_loop), column = name_loop(last);
  body_.line("const vec::i64 row0 = block * {0}, rows = vec::imin({1} - row0, {0});", side,
             index_text(tile_loop.extent));
  body_.line("const vec::i64 end0 = vec::imin({}, part * {} + {});", index_text(last.extent), width, width);

  ValueEmitter inner(context_, {tile_loop.var.node(), last.var.node()}, last.var.node(), "n");
  std::vector<std::string> copies;
  for (size_t t = 0; t < loads.size(); t++) {
    const auto& l = loads[t];
    ir::IndexMap at_start{{tile_loop.var.node(), 0}};
    std::string name = fmt::format("tile{}", t);
    body_.line("alignas(64) {} {}[{} * {}];", storage_type(schedule_.program.buffer(l.load->buffer).type), name, side,
               side);
    copies.push_back(fmt::format("vec::transpose_tiles({}, {}, {} + {} + row0, {}, columns, int(rows));", name, side,
                                 context_.pointers.at(l.load->buffer), index_text(ir::substitute(l.offset, at_start)),
                                 index_text(l.across)));
    inner.bind_load(l.load, fmt::format("vec::ld({} + ({} - row0) * {} + ({} - column0), n)", name, row, side, column));
  }
  inner.store(kernel_.segments[0].stores);
  add_lines(inner.lines[0]);
  body_.open("for (vec::i64 column0 = part * {}; column0 < end0; column0 += {})", width, side);
  body_.line("const int columns = int(vec::imin(end0 - column0, {}));", side);
  body_.open_text("");
  body_.line("const vec::i64 {} = column0;", column);
  for (const auto& c : copies) body_.text_line(c);
  body_.close();
  body_.open("for (vec::i64 {0} = row0; {0} < row0 + rows; {0}++)", row);
  add_lines(inner.lines[1]);
  body_.open("auto point = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", column);
  add_lines(inner.lines[2]);
  body_.close("};");
  body_.line("vec::i64 at = column0;");
  body_.line("for (; at + vec::L <= column0 + columns; at += vec::L) point(at, vec::All{{}});");
  body_.line("if (at < column0 + columns) point(at, vec::Tail{{int(column0 + columns - at)}});");
  body_.close();
  body_.close();
}

}  // namespace cppgen::codegen
