#include <fmt/format.h>

#include "cppgen/forms/attention/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

template <class V>
void fields(V& v, OperandMatrix& matrix) {
  auto& [base, row_stride, step_stride, rows_contiguous] = matrix;
  v("base", base);
  v("row_stride", row_stride);
  v("step_stride", step_stride);
  v("rows_contiguous", rows_contiguous, false);
}

template <class V>
void fields(V& v, KeysSeen& seen) {
  auto& [first, by_row, fill] = seen;
  v("first", first);
  v("by_row", by_row);
  v("fill", fill);
}

template <class V>
void fields(V& v, AttentionPlan::TransposedLoad& transposed) {
  auto& [load, start, ld, scratch] = transposed;
  v.values({load});
  v("load", load);
  v("start", start);
  v("ld", ld);
  v("scratch", scratch);
}

template <class V>
void fields(V& v, AttentionPlan::Scratch& scratch) {
  auto& [name, shape, start, type] = scratch;
  v.word("name", name);
  v("shape", shape);
  v("start", start);
  v("type", type);
}

std::string AttentionPlan::describe() const {
  return fmt::format("attention: blocks of {} keys, {} panels of queries in a unit{}{}", key_block,
                     ir::to_string(panels_at_once), may_be_few ? ", few rows one at a time" : "",
                     hidden ? ", masked keys skipped" : "");
}

void AttentionPlan::print(FieldPrinter& v) {
  auto& [key_block, group_keys, few_rows, may_be_few, may_be_many, panels_at_once, most_panels_at_once, query, keys,
         values, hidden, transposed, scratch] = *this;
  v("key_block", key_block);
  v("group_keys", group_keys, 0);
  v("few_rows", few_rows, 0);
  v("may_be_few", may_be_few, false);
  v("may_be_many", may_be_many, false);
  v("panels_at_once", panels_at_once, 1);
  v("most_panels_at_once", most_panels_at_once, 1);
  v.record("query", query);
  v.record("keys", keys);
  v.record("values", values);
  v.maybe("hidden", hidden);
  v.records("transposed", transposed);
  v.records("scratch", scratch);
}

}  // namespace cppgen::forms
