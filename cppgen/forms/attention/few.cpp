// Attention with few rows: rows are computed one at a time. Lanes are keys for the scores and features for the result,
// so keys and values are read in place, once for each row, one block at a time.

#include "cppgen/forms/attention/writer.h"

namespace cppgen::forms {

void AttentionWriter::write_few_rows() {
  body_.let("row0", "0");
  body_.let("side", "{}", sum("columns", Code(view_.target.lanes - 1)));
  body_.constant("const int", "count", "int(rows)");
  body_.comment("Few rows: each is computed by itself. Its queries are copied, and its sums are empty.");
  write_few_queries();
  body_.comment("Blocks of keys, from the first to the last.");
  write_few_blocks();
  body_.comment("Results of each row: sums divided by totals, and stored.");
  write_few_results();
  write_epilogue();
}

// The sums of earlier groups of keys.
static Code earlier_of(const Code& row) {
  return code("{{all_earlier + {0} * side, earlier_total + {0}, earlier_greatest + {0}}}", row);
}

void AttentionWriter::write_few_queries() {
  const auto& a = attention();
  const OperandMatrix& m = plan_.query;
  body_.open(For{.variable = "row", .end = "rows"});
  const Code first = sum(context_.pointers.at(a.query->buffer), index_text(m.base));
  body_.line("vec::copy_row(queries + row * head_size, {}, {}, head_size);",
             sum(first, times("row", factor(m.row_stride))), index_text(m.step_stride));
  body_.line("greatest_of[row] = -__builtin_inff(), total_of[row] = 0;");
  if (plan_.group_keys)
    body_.when(are_several_groups("keys"), code("vec::clear_sums({}, columns, 1);", earlier_of("row")));
  body_.close();
}

Code AttentionWriter::join_row(const Code& row, bool last) const {
  return code("vec::join_row<{2}, {3}>({1}, all_sums + {0} * side, total_of + {0}, greatest_of + {0}, {4}, columns);",
              row, kRuntime, last, options_.use_fast_math, earlier_of(row));
}

void AttentionWriter::write_few_blocks() {
  const auto& a = attention();
  const Code row = name_loop(a.rows);
  name_loop(a.keys);
  ValueEmitter e(context_, {a.rows.var.node(), a.keys.var.node()}, a.keys.var.node(), "n");
  e.bind_accumulator(0, "vec::ld(line, n)", 2);
  const Code score = e.emit(a.score);
  body_.add(e.lines[0]);
  const int64_t block = plan_.key_block;
  body_.open(For{.variable = "key0", .end = "keys", .step = Code(block)});
  body_.let("some", "vec::imin(keys - key0, {})", block);
  body_.open(For{.variable = row, .end = "rows"});
  if (plan_.group_keys) body_.when(is_end_of_group(), join_row(row, false));
  const OperandMatrix& keys = plan_.keys;
  body_.comment("Scores: products of the keys and the query, and the greatest of them.");
  write_product(in_place(a.key, keys, keys.row_stride), "scores", code("queries + {} * head_size", row), "some",
                "head_size");
  body_.add(e.lines[1]);
  write_few_scores(e.lines[2], score);
  write_few_values(row);
  body_.close();
  body_.close();
}

void AttentionWriter::write_few_scores(const Statements& values, const Code& score) {
  const Code key = index_text(attention().keys.var);
  body_.variable("auto", "top", "vec::set1<float>(-__builtin_inff())");
  body_.open(Lambda{"body", fmt::format("const vec::i64 {}, auto n", key)});
  body_.constant("float* const", "line", "scores + ({} - key0)", key);
  body_.add(values);
  if (!score_is_product()) body_.line("vec::st(line, {}, n);", score);
  body_.line("top = vec::max(top, vec::keep({}, n, vec::set1<float>(-__builtin_inff())));", score);
  body_.close();
  body_.variable("vec::i64", "at", "key0");
  body_.call_by_vectors("key0 + some", [](const Code& at, const Code& n) { return code("body({}, {})", at, n); });
}

void AttentionWriter::write_few_values(const Code& row) {
  const auto& a = attention();
  const OperandMatrix& values = plan_.values;
  body_.comment("Powers of the scores relative to the greatest so far, and their products with the values.");
  body_.constant("const auto", "scale",
                 "vec::take_powers{2}({1}, scores, some, top, greatest_of + {0}, total_of + {0})", row, kRuntime,
                 options_.use_fast_math ? "<true>" : "");
  body_.constant("float* const", "sums", "all_sums + {} * side", row);
  write_product(in_place(a.value, values, values.step_stride), "key0 == 0 ? sums : part", "scores", "columns", "some");
  body_.when("key0 > 0", "vec::add_scaled(sums, scale, part, columns);");
}

// out = the product of the matrix and a row that has one element for each step of the matrix.
void AttentionWriter::write_product(const BlockMatrix& m, const Code& out, const Code& row, const char* count,
                                    const char* steps) {
  body_.line("vec::{}({}, {}, {}, {}, {}, {});", m.rows_contiguous ? "sum_rows" : "dot_rows", out, row, m.block, m.ld(),
             count, steps);
}

// Writes the rows of the result contiguously into `part`, as write_result() does.
void AttentionWriter::write_few_results() {
  const auto& a = attention();
  body_.open(For{.variable = "row", .end = "rows"});
  if (plan_.group_keys) body_.when(are_several_groups("keys"), join_row("row", true));
  body_.constant("const auto", "all", "{}", divisor("vec::set1<float>(keys == 0 ? 1 : total_of[row])"));
  if (!a.divides) body_.constant("const auto", "scale", "vec::div(vec::set1<float>(1), all)");
  body_.open(For{.variable = "at", .end = "columns", .step = "vec::L"});
  body_.constant("const int", "n", "int(vec::imin(columns - at, vec::L))");
  body_.constant("const auto", "sum", "keys == 0 ? vec::set1<float>(0) : vec::load(all_sums + row * side + at, n)");
  body_.line("vec::store(part + row * columns + at, {}, n);", a.divides ? "vec::div(sum, all)" : "sum * scale");
  body_.close();
  body_.close();
}

}  // namespace cppgen::forms
