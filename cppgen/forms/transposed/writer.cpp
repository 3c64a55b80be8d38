// Kernels that read along one loop and write along another: square tiles, transposed in the cache.

#include "cppgen/forms/loops/writer.h"

#include "cppgen/codegen/transposed_block.h"
#include "cppgen/forms/transposed/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// Square tiles that are transposed in the cache.
class TransposedWriter : public LoopsWriter {
 public:
  TransposedWriter(const KernelView& view, const TransposedPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 private:
  const TransposedPlan& plan_;

  void write_body() override;
  Code rest_;  // of the unit's number, after the calls of cut()
  Code cut(const char* piece, const char* rest, Code number, IndexExpr pieces);
  Statements declare_tiles(ValueEmitter&, const Code& row, const Code& column);
  void write_points(const ValueEmitter& inner, const Code& column);
  void prefetch_next_tile(const Code& column);
  void assert_tile_inside(StatementList& fill, const TransposedPlan::Load&, const Code& count);
};

using ir::Loop;

// Prefetches the reads of the next tile: pieces of many rows, which hardware prefetchers do not predict.
void TransposedWriter::prefetch_next_tile(const Code& column) {
  if (plan_.next_tiles.empty()) return;
  body_.open_if(code("const vec::i64 {0} = column0 + {1}; {0} < end0", column, plan_.side));
  body_.let("columns", "vec::imin(end0 - {}, {})", column, plan_.side);
  for (const auto& next : plan_.next_tiles) {
    const Code stride = factor(next.stride);
    body_.line("vec::prefetch_rows({} + row0{}, {}, {});",
               sum(context_.pointers.at(next.buffer), index_text(next.offset)), next.transposed ? "" : " * " + stride,
               stride, next.transposed ? "columns, rows" : "rows, columns");
  }
  body_.close();
}

// Declares the tiles from which the emitter loads; returns the statements that fill them.
Statements TransposedWriter::declare_tiles(ValueEmitter& inner, const Code& row, const Code& column) {
  const ir::IndexMap at_start{{kernel_.outer[size_t(kernel_.transpose_loop)].var.node(), 0}};
  const int64_t side = plan_.side;
  StatementList fill;
  for (size_t t = 0; t < plan_.loads.size(); t++) {
    const auto& l = plan_.loads[t];
    const Code name = code("tile{}", t);
    const std::string type(storage_type(view_.type_of(l.load->buffer)));
    body_.array("alignas(64) " + type, name, Code(side * side));
    const TransposedBlock block{name, side};
    const Code source =
        code("{} + row0", sum(context_.pointers.at(l.load->buffer), index_text(ir::substitute(l.offset, at_start))));
    const Code count = l.end ? code("there{}", t) : "columns";
    if (l.end)
      fill.constant("const int", count, "int(vec::imin(vec::imax({} - column0, 0), columns))", index_text(*l.end));
    assert_tile_inside(fill, l, count);
    fill.text(l.few ? block.fill_few(source, count, l.few)
                    : block.fill(source, index_text(l.across), count, "int(rows)"));
    if (l.end)
      fill.line("vec::fill_columns({}, {}, {}, columns, int(rows), {}({}));", name, side, count, type,
                literal(l.load->type, l.load->args[0]));
    inner.bind_load(l.load, block.load(row + " - row0", column + " - column0"));
  }
  return fill.take();
}

// With DEBUG_INDEX_ASSERTS, verifies the indices of the first and the last element that is read into a tile.
void TransposedWriter::assert_tile_inside(StatementList& fill, const TransposedPlan::Load& l, const Code& count) {
  if (!options_.debug_index_asserts) return;
  const ir::IndexNode *row = kernel_.outer[size_t(kernel_.transpose_loop)].var.node(),
                      *column = kernel_.outer.back().var.node();
  std::vector<Code> conditions;
  for (const bool last : {false, true}) {
    IndexNames names = context_.names;
    names.set_sum(row, last ? "row0 + rows - 1" : "row0");
    names.set_sum(column, last ? code("column0 + {} - 1", count) : "column0");
    if (Code inside = context_.inside(names, l.load->buffer, l.load->indices); !inside.empty())
      conditions.push_back(std::move(inside));
  }
  if (conditions.empty()) return;
  require(fill, code("{} < 1 || ({})", count, all_of(conditions)),
          context_.new_index_assertion("reads", l.load->buffer, l.load->indices));
}

// Splits `number`, which counts pieces over all rows: declares and returns the position of a piece in its row, which
// has `pieces` of them, and sets rest_ to the number of the row.
Code TransposedWriter::cut(const char* piece, const char* rest, Code number, IndexExpr pieces) {
  rest_ = number;
  if (pieces.is_constant(1)) return 0;
  body_.let(piece, "{} % {}", number, factor(pieces));
  rest_ = Code::name(rest);
  body_.let(rest_, "{} / {}", number, factor(pieces));
  return piece;
}

void TransposedWriter::write_body() {
  const Loop tile_loop = kernel_.outer[size_t(kernel_.transpose_loop)], last = kernel_.outer.back();
  const std::vector<Loop> units(kernel_.outer.begin(), kernel_.outer.end() - 2);
  const int64_t side = plan_.side, width = plan_.width;
  const IndexExpr blocks = ir::ceildiv(tile_loop.extent, side), parts = ir::ceildiv(last.extent, width);
  const Code part = cut("part", "rest", "unit", parts), block = cut("block", "outer", rest_, blocks);
  decompose(rest_, units);
  const Code row = name_loop(tile_loop), column = name_loop(last);
  body_.let("row0", "{}", times(block, side));
  const Code height = index_text(tile_loop.extent), end = index_text(last.extent);
  body_.let("rows", "{}", blocks.is_constant(1) ? height : code("vec::imin({} - row0, {})", height, side));
  body_.let("end0", "{}", parts.is_constant(1) ? end : code("vec::imin({}, {} * {} + {})", end, part, width, width));

  ValueEmitter inner(context_, {tile_loop.var.node(), last.var.node()}, last.var.node(), "n");
  const Statements fill = declare_tiles(inner, row, column);
  inner.store(kernel_.segments[0].stores);
  body_.add(inner.lines[0]);
  body_.open(For{.variable = "column0", .begin = times(part, width), .end = "end0", .step = Code(side)});
  body_.constant("const int", "columns", "int(vec::imin(end0 - column0, {}))", side);
  prefetch_next_tile(column);
  body_.open_scope();
  body_.let(column, "column0");
  body_.add(fill);
  body_.close();
  body_.open(For{.variable = row, .begin = "row0", .end = "row0 + rows"});
  if (plan_.moves && !options_.debug_index_asserts) {
    const ir::Store& store = kernel_.segments[0].stores[0];
    body_.let(column, "column0");
    body_.add({plain(TransposedBlock{"tile0", side}.move(
        sum(context_.pointers.at(store.buffer), index_text(view_.offset(store.buffer, store.indices))), row + " - row0",
        "columns"))});
  } else {
    write_points(inner, column);
  }
  body_.close();
  body_.close();
}

// The values and stores of one row of the tile.
void TransposedWriter::write_points(const ValueEmitter& inner, const Code& column) {
  body_.add(inner.lines[1]);
  body_.open(Lambda{"point", fmt::format("const vec::i64 {}, auto n", column)});
  body_.add(inner.lines[2]);
  body_.close();
  body_.variable("vec::i64", "at", "column0");
  call_by_vectors("column0 + columns", [](const Code& at, const Code& n) { return code("point({}, {})", at, n); });
}

KernelText TransposedPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return TransposedWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
