// Kernels that read along one loop and write along another: square tiles, transposed in the cache.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/turned_block.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::codegen {

using ir::Loop;

namespace {

constexpr int64_t kUnitWork = 65536;   // elements of a unit, roughly: many tiles, of which all but one are prefetched
constexpr int64_t kTileBytes = 16384;  // of all tiles

}  // namespace

// The loads whose lanes lie `across` elements apart along the last loop but next to each other along the tile loop.
std::vector<LoopsWriter::TransposedLoad> LoopsWriter::transposed_loads(const Loop& tile_loop, const Loop& last) const {
  std::vector<Expr> roots;
  for (const auto& st : kernel_.segments[0].stores) roots.push_back(st.value);
  std::vector<TransposedLoad> found;
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load || !e->indirects.empty()) continue;
    const auto end = schedule::end_of_load(e, last);
    if (!e->guards.empty() && (!end || ir::depends_on(*end, tile_loop.var.node()))) continue;
    IndexExpr offset = context_.offset(e->buffer, e->indices);
    auto across = ir::stride_of(offset, last.var.node()), along = ir::stride_of(offset, tile_loop.var.node());
    if (!across || across->is_constant(0) || across->is_constant(1) || !along || !along->is_constant(1)) continue;
    found.push_back({e, offset, *across, end});
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

// Lines that ask for what the next tile reads: pieces of many rows, which the hardware does not foresee.
std::vector<std::string> LoopsWriter::prefetch_next_tile(const std::vector<TransposedLoad>& transposed,
                                                         const Loop& tile_loop, const Loop& last) const {
  const ir::IndexMap at_start{{tile_loop.var.node(), 0}};
  std::vector<std::string> lines;
  auto ask = [&](Expr load, IndexExpr offset, const std::string& to_row0, const std::string& stride, const char* rows,
                 const char* count) {
    lines.push_back(fmt::format("vec::prefetch_rows({} + {}{}, {}, {}, {});", context_.pointers.at(load->buffer),
                                index_text(offset), to_row0, stride, rows, count));
  };
  for (const auto& l : transposed)
    if (!l.end) ask(l.load, ir::substitute(l.offset, at_start), " + row0", index_text(l.across), "columns", "rows");
  std::vector<Expr> roots;
  for (const auto& st : kernel_.segments[0].stores) roots.push_back(st.value);
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = context_.offset(e->buffer, e->indices);
    const auto across = ir::stride_of(offset, last.var.node()), along = ir::stride_of(offset, tile_loop.var.node());
    if (across && across->is_constant(1) && along && !along->is_constant(0))
      ask(e, ir::substitute(offset, at_start), fmt::format(" + row0 * {}", index_text(*along)), index_text(*along),
          "rows", "columns");
  }
  return lines;
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
    const TurnedBlock block{name, std::to_string(side)};
    const std::string source = fmt::format("{} + {} + row0", context_.pointers.at(l.load->buffer),
                                           index_text(ir::substitute(l.offset, at_start)));
    std::string count = "columns";
    if (l.end) {
      copies.push_back(fmt::format("const int there{} = int(vec::imin(vec::imax({} - column0, 0), columns));", t,
                                   index_text(*l.end)));
      count = fmt::format("there{}", t);
    }
    copies.push_back(block.fill(source, index_text(l.across), count, "int(rows)"));
    if (l.end)
      copies.push_back(fmt::format("vec::fill_columns({}, {}, {}, columns, int(rows), {}({}));", name, side, count,
                                   storage_type(schedule_.program.buffer(l.load->buffer).type),
                                   literal(l.load->type, l.load->args[0])));
    inner.bind_load(l.load, block.load(row + " - row0", column + " - column0"));
  }
  inner.store(kernel_.segments[0].stores);
  add_lines(inner.lines[0]);
  const auto ahead = prefetch_next_tile(loads, tile_loop, last);
  body_.open("for (vec::i64 column0 = part * {}; column0 < end0; column0 += {})", width, side);
  body_.line("const int columns = int(vec::imin(end0 - column0, {}));", side);
  if (!ahead.empty()) {
    body_.open("if (const vec::i64 {0} = column0 + {1}; {0} < end0)", column, side);
    body_.line("const vec::i64 columns = vec::imin(end0 - {}, {});", column, side);
    add_lines(ahead);
    body_.close();
  }
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
