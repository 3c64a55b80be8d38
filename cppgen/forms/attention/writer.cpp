// Attention: one unit is a few panels of queries of one batch point; its rows are the lanes. For each block of keys, it
// computes the scores (keys x rows) with tiles that read the keys in place, the operations on the scores, the powers
// relative to the greatest score so far, and the product of the powers and the values, which are also read in place.
// When a greater score appears, the sums of earlier blocks are scaled down, so a unit needs scratch memory for one
// block only (online softmax: Milakov and Gimelshein, 2018).
#include "cppgen/forms/attention/writer.h"

namespace cppgen::forms {

using ir::Expr;
using ir::IndexExpr;
using ir::Loop;

void AttentionWriter::declare_scratch() {
  const auto& a = attention();
  const int64_t nr = tile().nr;
  before_.let("rows", "{}", index_text(a.rows.extent));
  before_.let("keys", "{}", index_text(a.keys.extent));
  before_.let("head_size", "{}", index_text(a.head_size.extent));
  before_.let("columns", "{}", index_text(a.columns.extent));
  before_.let(kQueryPanels, "(rows + {}) / {}", nr - 1, nr);
  before_.let(kPanelsAtOnce, "{}", index_text(plan_.panels_at_once));
  before_.let(kPanelGroups, "({0} + {1} - 1) / {1}", kQueryPanels, kPanelsAtOnce);
  for (const auto& part : plan_.scratch) {
    const std::string type = fmt::format("{}*", storage_type(part.type));
    const Code place = sum("(float*)args->scratch", index_text(part.start * nr));
    note_scratch(fmt::format("{}: {}{}", part.name, name_of(part.type), part.shape));
    before_.constant(type + " const", part.name, "{}", type == "float*" ? place : code("({})({})", type, place));
  }
  for (const Code& name : {kPeak, kShrink}) before_.array("alignas(64) float", name, Code(nr));
  for (const char* name : {"greatest_of", "total_of"})
    before_.array("alignas(64) float", name, Code(nr * plan_.most_panels_at_once));
  for (const char* name : {"earlier_total", "earlier_greatest"})
    if (plan_.group_keys) before_.array("alignas(64) float", name, Code(nr * plan_.most_panels_at_once));
}

void AttentionWriter::write_body() {
  const auto& a = attention();
  declare_scratch();
  if (!a.batch.empty()) {
    body_.let(Code::name("batch"), "unit / {}", kPanelGroups);
    decompose(Code::name("batch"), a.batch);
  }
  assert_inside(a.query, {a.rows, a.head_size});
  assert_inside(a.key, {a.keys, a.head_size});
  assert_inside(a.value, {a.keys, a.columns});
  for (const auto& t : plan_.transposed) assert_inside(t.load, {a.rows, a.keys});
  const bool may_be_both = plan_.may_be_few && plan_.may_be_many;
  body_.open_if(may_be_both ? code("rows <= {}", plan_.few_rows) : plan_.may_be_few);
  if (plan_.may_be_few) write_few_rows();
  body_.otherwise();
  if (plan_.may_be_many) write_many_rows();
  body_.close();
}

void AttentionWriter::write_many_rows() {
  body_.let("panel0", "unit % {} * {}", kPanelGroups, kPanelsAtOnce);
  body_.let("panel1", "vec::imin({}, panel0 + {})", kQueryPanels, kPanelsAtOnce);
  body_.comment("Prepares each panel: its queries, transposed so that rows are lanes, and empty sums.");
  open_panels();
  write_query_panel();
  body_.line("vec::fill({}, width, -__builtin_inff());", kGreatest);
  body_.line("vec::fill({}, width, 0);", kTotal);
  if (plan_.group_keys)
    body_.when(are_several_groups("keys"), code("vec::clear_sums({}, columns * width, width);", kEarlier));
  body_.close();
  if (plan_.hidden) {
    body_.comment(
        "Keys that the mask hides from all rows are left out if their values are finite: 0 times others is NaN.");
    write_keys_of_unit(*plan_.hidden);
  }
  write_key_blocks();
  body_.comment("Results of each panel: sums divided by totals, transposed back, and stored.");
  open_panels();
  write_result();
  write_epilogue();
  body_.close();
}

// Opens a loop over the unit's panels and declares the names for one panel.
void AttentionWriter::open_panels() {
  const int64_t nr = tile().nr;
  body_.open(For{.variable = "panel", .begin = "panel0", .end = "panel1"});
  body_.let("row0", "panel * {}", nr);
  body_.constant("const int", "count", "int(vec::imin(rows - row0, {}))", nr);
  body_.constant("const int", kHalf, "count <= {}", nr / 2);
  body_.constant("const int", "width", "{} ? {} : {}", kHalf, nr / 2, nr);
  const auto part = [&](const Code& name, const char* all, const char* elements) {
    body_.constant("float* const", name, "{} + (panel - panel0) * {}{}", all, elements, nr);
  };
  part(kQuery, "queries", "head_size * "), part(kSums, "all_sums", "columns * ");
  part(kGreatest, "greatest_of", ""), part(kTotal, "total_of", "");
  if (plan_.group_keys)
    body_.constant("const vec::EarlierSums", kEarlier,
                   "{{all_earlier + (panel - panel0) * columns * {0}, earlier_total + (panel - panel0) * {0}, "
                   "earlier_greatest + (panel - panel0) * {0}}}",
                   nr);
}

// Adds the sums of a group of keys to those of the groups before.
Code AttentionWriter::join_panel(bool last) const {
  return code("vec::join_panel<{}, {}>({}, {}, {}, {}, {}, columns, width);", last, options_.use_fast_math, kRuntime,
              kSums, kTotal, kGreatest, kEarlier);
}

void AttentionWriter::write_query_panel() {
  const auto& a = attention();
  const OperandMatrix& m = plan_.query;
  const Code ld = factor(m.row_stride), step = factor(m.step_stride);
  body_.constant("const auto* const", "q", "{} + {}", sum(context_.pointers.at(a.query->buffer), index_text(m.base)),
                 times("row0", ld));
  if (is_narrow(a.query)) {
    body_.each({.type = "int", .variable = "j", .end = "count"},
               code("vec::copy_row(wide_query + j * head_size, q + {}, {}, head_size);", times("j", ld), step));
    body_.line("vec::transpose_tiles({}, width, wide_query, head_size, count, int(head_size));", kQuery);
  } else if (!m.rows_contiguous) {
    body_.line("vec::transpose_tiles({}, width, q, {}, count, int(head_size));", kQuery, ld);
  } else {
    body_.open(For{.variable = "k", .end = "head_size"});
    body_.each({.type = "int", .variable = "j", .end = "count"},
               code("{}[k * width + j] = q[{} + {}];", kQuery, times("j", ld), times("k", step)));
    body_.close();
  }
  body_.open(For{.variable = "k", .end = "head_size"});
  body_.each({.type = "int", .variable = "j", .begin = "count", .end = "width"},
             code("{}[k * width + j] = 0;", kQuery));
  body_.close();
}

// The total, or a positive number in its place if it is 0 (all scores are -infinity) and the result shall be 0.
Code AttentionWriter::divisor(const Code& total) const {
  return attention().zeros ? code("vec::max({}, vec::set1<float>(0x1p-126f))", total) : total;
}

// Writes the rows of the result contiguously into `part`.
void AttentionWriter::write_result() {
  const auto& a = attention();
  if (plan_.group_keys) body_.when(are_several_groups(plan_.hidden ? "seen_by_unit" : "keys"), join_panel(true));
  if (a.keys.extent.range().lo < 1)
    body_.when("keys == 0", code("vec::fill({}, width, 1), vec::fill({}, columns * width, 0);", kTotal, kSums));
  body_.open(For{.type = "int", .variable = "j", .end = "width", .step = "vec::L"});
  body_.constant("const auto", "all", "{}", divisor(code("vec::load({} + j)", kTotal)));
  if (!a.divides) body_.constant("const auto", "scale", "vec::div(vec::set1<float>(1), all)");
  body_.each({.type = "float*",
              .variable = "p",
              .begin = kSums + " + j",
              .end = kSums + " + columns * width",
              .step = "width"},
             code("vec::store(p, {});", a.divides ? "vec::div(vec::load(p), all)" : "vec::load(p) * scale"));
  body_.close();
  body_.line("vec::transpose_tiles(part, columns, {}, width, int(columns), count);", kSums);
}

void AttentionWriter::write_epilogue() {
  const auto& a = attention();
  const Code row = name_loop(a.rows), column = name_loop(a.columns);
  ValueEmitter e(context_, {a.rows.var.node(), a.columns.var.node()}, a.columns.var.node(), "n");
  e.bind_accumulator(0, code("vec::load(part + ({} - row0) * columns + {})", row, column), 2);
  e.store(kernel_.segments[0].stores);
  body_.add(e.lines[0]);
  body_.open(For{.variable = row, .begin = "row0", .end = "row0 + count"});
  body_.add(e.lines[1]);
  body_.open(Lambda{"body", fmt::format("const vec::i64 {}, auto n", column)});
  body_.add(e.lines[2]);
  body_.close();
  body_.variable("vec::i64", "at", 0);
  body_.call_by_vectors("columns", [](const Code& at, const Code& n) { return code("body({}, {})", at, n); });
  body_.close();
}

KernelText AttentionPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return AttentionWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
