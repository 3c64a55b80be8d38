// Kernels that read along one loop and write along another: square tiles, transposed in the cache.

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/turned_block.h"

namespace cppgen::codegen {

using ir::Loop;

// Asks for what the next tile reads: pieces of many rows, which the hardware does not foresee.
void TransposedWriter::prefetch_next_tile(const Code& column) {
  if (plan_.next_tiles.empty()) return;
  body_.open("if (const vec::i64 {0} = column0 + {1}; {0} < end0)", column, plan_.side);
  body_.line("const vec::i64 columns = vec::imin(end0 - {}, {});", column, plan_.side);
  for (const auto& next : plan_.next_tiles) {
    const Code stride = factor(next.stride);
    body_.line("vec::prefetch_rows({} + row0{}, {}, {});",
               at(context_.pointers.at(next.buffer), index_text(next.offset)), next.turned ? "" : " * " + stride,
               stride, next.turned ? "columns, rows" : "rows, columns");
  }
  body_.close();
}

// Declares the tiles, from which the emitter then loads; returns the lines that fill them.
Statements TransposedWriter::declare_tiles(ValueEmitter& inner, const Code& row, const Code& column) {
  const ir::IndexMap at_start{{kernel_.outer[size_t(kernel_.transpose_loop)].var.node(), 0}};
  const int64_t side = plan_.side;
  StatementList fill;
  for (size_t t = 0; t < plan_.loads.size(); t++) {
    const auto& l = plan_.loads[t];
    const Code name = code("tile{}", t);
    const std::string type(storage_type(view_.type_of(l.load->buffer)));
    body_.line("alignas(64) {} {}[{}];", type, name, side * side);
    const TurnedBlock block{name, std::to_string(side)};
    const Code source =
        code("{} + row0", at(context_.pointers.at(l.load->buffer), index_text(ir::substitute(l.offset, at_start))));
    const Code count = l.end ? code("there{}", t) : "columns";
    if (l.end)
      fill.line("const int {} = int(vec::imin(vec::imax({} - column0, 0), columns));", count, index_text(*l.end));
    fill.text(block.fill(source, index_text(l.across), count, "int(rows)"));
    if (l.end)
      fill.line("vec::fill_columns({}, {}, {}, columns, int(rows), {}({}));", name, side, count, type,
                literal(l.load->type, l.load->args[0]));
    inner.bind_load(l.load, block.load(row + " - row0", column + " - column0"));
  }
  return fill.take();
}

void TransposedWriter::write_body() {
  const Loop tile_loop = kernel_.outer[size_t(kernel_.transpose_loop)], last = kernel_.outer.back();
  const std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - 2);
  const int64_t side = plan_.side, width = plan_.width;
  const IndexExpr blocks = ir::ceildiv(tile_loop.extent, side), parts = ir::ceildiv(last.extent, width);
  body_.line("const vec::i64 part = unit % {0}, rest = unit / {0};", factor(parts));
  body_.line("const vec::i64 block = rest % {0}, outer = rest / {0};", factor(blocks));
  if (units.empty()) body_.line("(void)outer;");
  decompose("outer", units);
  const Code row = name_loop(tile_loop), column = name_loop(last);
  body_.line("const vec::i64 row0 = block * {0}, rows = vec::imin({1} - row0, {0});", side,
             index_text(tile_loop.extent));
  body_.line("const vec::i64 end0 = vec::imin({}, part * {} + {});", index_text(last.extent), width, width);

  ValueEmitter inner(context_, {tile_loop.var.node(), last.var.node()}, last.var.node(), "n");
  const Statements fill = declare_tiles(inner, row, column);
  inner.store(kernel_.segments[0].stores);
  body_.add(inner.lines[0]);
  body_.open("for (vec::i64 column0 = part * {}; column0 < end0; column0 += {})", width, side);
  body_.line("const int columns = int(vec::imin(end0 - column0, {}));", side);
  prefetch_next_tile(column);
  body_.open("");
  body_.line("const vec::i64 {} = column0;", column);
  body_.add(fill);
  body_.close();
  body_.open("for (vec::i64 {0} = row0; {0} < row0 + rows; {0}++)", row);
  body_.add(inner.lines[1]);
  body_.open("auto point = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", column);
  body_.add(inner.lines[2]);
  body_.close("};");
  body_.line("vec::i64 at = column0;");
  body_.line("for (; at + vec::L <= column0 + columns; at += vec::L) point(at, vec::All{{}});");
  body_.line("if (at < column0 + columns) point(at, vec::Tail{{int(column0 + columns - at)}});");
  body_.close();
  body_.close();
}

}  // namespace cppgen::codegen
