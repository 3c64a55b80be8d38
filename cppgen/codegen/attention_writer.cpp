// Attention: one unit is a few panels of queries of one batch point, whose rows are the lanes. For each block of keys:
// the scores (keys x rows) by tiles whose left operand is the keys where they lie, what follows them, the powers
// against the greatest score so far, and their product with the values where they lie. Sums of earlier blocks are
// scaled down when a greater score appears, so a unit needs scratch for one block only (online softmax: Milakov and
// Gimelshein, 2018).
#include "cppgen/codegen/attention_writer.h"

namespace cppgen::codegen {

using ir::Expr;
using ir::IndexExpr;
using ir::Loop;

void AttentionWriter::declare_scratch() {
  const auto& a = attention();
  const int64_t nr = tile().nr;
  before_.line("const vec::i64 rows = {}, keys = {};", index_text(a.rows.extent), index_text(a.keys.extent));
  before_.line("const vec::i64 depth = {}, columns = {};", index_text(a.depth.extent), index_text(a.columns.extent));
  before_.line("const vec::i64 panels = (rows + {}) / {}, at_once = {};", nr - 1, nr, index_text(plan_.panels_at_once));
  before_.line("const vec::i64 groups = (panels + at_once - 1) / at_once;");
  for (const auto& part : plan_.scratch)
    before_.line("{0}* const {1} = ({0}*)((float*)args->scratch + {2});", storage_type(part.type), part.name,
                 index_text(part.start * nr));
  before_.line("alignas(64) float peak[{0}], shrink[{0}], greatest_of[{1}], total_of[{1}];", nr,
               nr * plan_.most_panels_at_once);
}

void AttentionWriter::write_body() {
  const auto& a = attention();
  declare_scratch();
  if (!a.batch.empty()) {
    body_.line("const vec::i64 batch = unit / groups;");
    decompose("batch", a.batch);
  }
  const bool may_be_both = plan_.may_be_few && plan_.may_be_many;
  if (may_be_both) body_.open("if (rows <= {})", plan_.few_rows);
  if (plan_.may_be_few) write_few_rows();
  if (may_be_both) body_.line("continue;"), body_.close();
  if (plan_.may_be_many) write_many_rows();
}

void AttentionWriter::write_many_rows() {
  body_.line("const vec::i64 panel0 = unit % groups * at_once, panel1 = vec::imin(panels, panel0 + at_once);");
  open_panels();
  write_query_panel();
  body_.line("vec::fill(greatest, width, -__builtin_inff());");
  body_.line("vec::fill(total, width, 0);");
  body_.close();
  if (plan_.hidden) write_keys_of_unit(*plan_.hidden);
  write_key_blocks();
  open_panels();
  write_result();
  write_epilogue();
  body_.close();
}

// A loop over the unit's panels, with the names of what belongs to one.
void AttentionWriter::open_panels() {
  const int64_t nr = tile().nr;
  body_.open("for (vec::i64 panel = panel0; panel < panel1; panel++)");
  body_.line("const vec::i64 row0 = panel * {};", nr);
  body_.line("const int count = int(vec::imin(rows - row0, {}));", nr);
  body_.line("const int half = count <= {}, width = half ? {} : {};", nr / 2, nr / 2, nr);
  body_.line("float* const query = queries + (panel - panel0) * depth * {};", nr);
  body_.line("float* const sums = all_sums + (panel - panel0) * columns * {};", nr);
  body_.line("float* const greatest = greatest_of + (panel - panel0) * {};", nr);
  body_.line("float* const total = total_of + (panel - panel0) * {};", nr);
}

void AttentionWriter::write_query_panel() {
  const auto& a = attention();
  const kernel::OperandMatrix& m = plan_.query;
  const Code ld = factor(m.row_stride), step = factor(m.step_stride);
  body_.line("const auto* const q = {} + row0 * {};", at(context_.pointers.at(a.query->buffer), index_text(m.base)),
             ld);
  if (is_narrow(a.query)) {
    body_.open("for (int j = 0; j < count; j++)");
    body_.line("vec::copy_row(wide_query + j * depth, q + j * {}, {}, depth);", ld, step);
    body_.close();
    body_.line("vec::transpose_tiles(query, width, wide_query, depth, count, int(depth));");
  } else if (!m.rows_contiguous) {
    body_.line("vec::transpose_tiles(query, width, q, {}, count, int(depth));", ld);
  } else {
    body_.open("for (vec::i64 k = 0; k < depth; k++)");
    body_.line("for (int j = 0; j < count; j++) query[k * width + j] = q[j * {} + k * {}];", ld, step);
    body_.close();
  }
  body_.open("for (vec::i64 k = 0; k < depth; k++)");
  body_.line("for (int j = count; j < width; j++) query[k * width + j] = 0;");
  body_.close();
}

// Of 0, the total where all scores are -infinity, that is a number where the result is to be 0.
Code AttentionWriter::divisor(const Code& total) const {
  return attention().zeros ? code("vec::max({}, vec::set1<float>(0x1p-126f))", total) : total;
}

// The rows of the result, one after the other, in `part`.
void AttentionWriter::write_result() {
  const auto& a = attention();
  if (a.keys.extent.range().lo < 1) {
    body_.line("if (keys == 0) vec::fill(total, width, 1), vec::fill(sums, columns * width, 0);");
  }
  body_.open("for (int j = 0; j < width; j += vec::L)");
  body_.line("const auto all = {}{};", divisor("vec::load(total + j)"),
             a.divides ? "" : ", scale = vec::div(vec::set1<float>(1), all)");
  body_.line("for (float* p = sums + j; p < sums + columns * width; p += width) vec::store(p, {});",
             a.divides ? "vec::div(vec::load(p), all)" : "vec::load(p) * scale");
  body_.close();
  body_.line("vec::transpose_tiles(part, columns, sums, width, int(columns), count);");
}

void AttentionWriter::write_epilogue() {
  const auto& a = attention();
  const Code row = name_loop(a.rows), column = name_loop(a.columns);
  ValueEmitter e(context_, {a.rows.var.node(), a.columns.var.node()}, a.columns.var.node(), "n");
  e.bind_accumulator(0, code("vec::load(part + ({} - row0) * columns + {})", row, column), 2);
  e.store(kernel_.segments[0].stores);
  body_.add(e.lines[0]);
  body_.open("for (vec::i64 {0} = row0; {0} < row0 + count; {0}++)", row);
  body_.add(e.lines[1]);
  body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", column);
  body_.add(e.lines[2]);
  body_.close("};");
  body_.line("vec::i64 at = 0;");
  body_.line("for (; at + vec::L <= columns; at += vec::L) body(at, vec::All{{}});");
  body_.line("if (at < columns) body(at, vec::Tail{{int(columns - at)}});");
  body_.close();
}

}  // namespace cppgen::codegen
