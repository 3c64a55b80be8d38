// Attention, one block of keys: scores, powers and products with the values.

#include <cmath>

#include "cppgen/forms/attention/writer.h"

namespace cppgen::forms {

Code AttentionWriter::tile_functions(const Code& entry, const BlockMatrix& m) {
  before_.constant("constexpr int", entry, "{}", m.rows_contiguous ? 2 : 0);
  return code("{}->strided[{} + {}]", kRuntime, entry, kHalf);
}

BlockMatrix AttentionWriter::in_place(Expr load, const OperandMatrix& m, IndexExpr key_stride) const {
  const Code first = sum(context_.pointers.at(load->buffer), index_text(m.base));
  return {sum(first, times("key0", factor(key_stride))), factor(m.row_stride), factor(m.step_stride), m.rows_contiguous,
          load == attention().key ? first : Code()};
}

// Writes a copy of the block, contiguous along the same loop, if the tensor is narrower than float32.
BlockMatrix AttentionWriter::widened(Expr load, const OperandMatrix& m, const ir::Loop& rows, const ir::Loop& steps,
                                     const Code& copy) {
  const ir::Loop& keys = attention().keys;
  const BlockMatrix source = in_place(load, m, rows.var == keys.var ? m.row_stride : m.step_stride);
  if (!is_narrow(load)) return source;
  const auto count = [&](const ir::Loop& l) { return l.var == keys.var ? kInBlock : index_text(l.extent); };
  const ir::Loop &along = m.rows_contiguous ? rows : steps, &across = m.rows_contiguous ? steps : rows;
  const Code ld = along.var == keys.var ? Code(plan_.key_block) : count(along);
  body_.line("vec::copy_rows({}, {}, {}, {}, {}, {});", copy, ld, source.block, source.ld(), count(across),
             count(along));
  return {copy, m.rows_contiguous ? 1 : ld, m.rows_contiguous ? ld : 1, m.rows_contiguous};
}

void AttentionWriter::write_key_blocks() {
  const auto& a = attention();
  Code row = name_loop(a.rows);
  name_loop(a.keys);
  ValueEmitter e(context_, {a.rows.var.node(), a.keys.var.node()}, a.rows.var.node(), "n");
  e.bind_accumulator(0, "vec::load(line)", 2);
  const auto block_of = [](const auto& transposed) { return TransposedBlock{transposed.scratch, "width"}; };
  for (const auto& t : plan_.transposed)
    e.bind_load(t.load, block_of(t).load(index_text(a.keys.var) + " - key0", row + " - row0"));
  Code score = e.emit(a.score);
  body_.add(e.lines[0]);
  const int64_t block = plan_.key_block;
  const auto& seen = plan_.hidden;
  body_.comment("Blocks of keys, from the first to the last.");
  body_.open(For{.variable = "key0", .end = seen ? "seen_by_unit" : "keys", .step = Code(block)});
  if (plan_.group_keys) {
    body_.comment("The sums of a group of keys are complete: they are added to those of the groups before.");
    body_.open_if(is_end_of_group());
    open_panels();
    body_.text(join_panel(false));
    body_.close();
    body_.close();
  }
  body_.let(kInBlock, "vec::imin(keys - key0, {})", block);
  keys_block_ = widened(a.key, plan_.keys, a.keys, a.head_size, "wide_keys");
  values_block_ = widened(a.value, plan_.values, a.columns, a.keys, "wide_values");
  open_panels();
  if (seen) body_.comment("Skips keys that no row of the panel sees.");
  const Code end = seen ? write_visible(*seen) : "keys";
  body_.let("some", "vec::imin({} - key0, {})", end, block);
  body_.line("vec::fill({}, width, -__builtin_inff());", kPeak);
  for (const auto& t : plan_.transposed)
    body_.text(block_of(t).fill(code("{} + key0 + {}", sum(context_.pointers.at(t.load->buffer), index_text(t.start)),
                                     times("row0", factor(t.ld))),
                                index_text(t.ld), "count", "int(some)"));
  write_score_tiles(e.lines[2], e, score);
  write_powers();
  write_values();
  body_.close();
  body_.close();
}

Code AttentionWriter::write_visible(const KeysSeen& seen) {
  body_.let("visible", "leave_out ? vec::imin(keys, vec::imax({}, 1)) : keys", seen_by("(row0 + count - 1)", seen));
  if (!std::isfinite(seen.fill)) {
    body_.continue_if("key0 >= visible");
    return "visible";
  }
  body_.open_if("key0 >= visible");
  body_.variable("auto", "least", code("vec::load({})", kGreatest));
  body_.each({.type = "int", .variable = "j", .begin = "vec::L", .end = "width", .step = "vec::L"},
             code("least = vec::min(least, vec::load({} + j));", kGreatest));
  body_.continue_if(code("vec::lane(vec::all_min(least), 0) > {:a}f", seen.harmless_above()));
  body_.close();
  return "keys";
}

void AttentionWriter::write_score_tiles(const Statements& values, const ValueEmitter& e, const Code& score) {
  const auto& a = attention();
  const int64_t mr = tile().mr;
  const BlockMatrix& m = keys_block_;
  const Code row = index_text(a.rows.var), key = index_text(a.keys.var);
  before_.comment(
      "Tiles whose left operand has contiguous rows (2) or contiguous steps (0); those after are half as wide.");
  body_.comment("Scores: products of the keys of the block and the queries, and the greatest score of each row.");
  body_.let("tiles", "(some + {}) / {}", mr - 1, mr);
  body_.let("least", "some / tiles");
  body_.let("larger", "some % tiles");
  body_.open(For{.variable = "tile", .end = "tiles"});
  body_.let("first", "key0 + tile * least + vec::imin(tile, larger)");
  body_.let("size", "least + (tile < larger)");
  body_.line("{}[size]({}, {}, head_size, {}, scores + (first - key0) * width);", tile_functions("key_tiles", m),
             m.at_key("first"), m.ld(), kQuery);
  body_.open(Lambda{"body", fmt::format("const vec::i64 {}, auto n", row)});
  body_.add(e.lines[1]);
  body_.variable("auto", "top", code("vec::load({} + ({} - row0))", kPeak, row));
  body_.open(For{.variable = key, .begin = "first", .end = "first + size"});
  body_.constant("float* const", "line", "scores + ({} - key0) * width + ({} - row0)", key, row);
  body_.add(values);
  if (!score_is_product()) body_.line("vec::store(line, {});", score);
  body_.line("top = vec::max(top, {});", score);
  body_.close();
  body_.line("vec::store({} + ({} - row0), top);", kPeak, row);
  body_.close();
  body_.variable("vec::i64", "at", "row0");
  body_.call_by_vectors("row0 + count", [](const Code& at, const Code& n) { return code("body({}, {})", at, n); });
  body_.close();
}

// If all scores so far are -infinity, powers are relative to a finite number, so they and the total are 0. If that
// remains so, the row becomes NaN.
void AttentionWriter::write_powers() {
  body_.comment("Powers of the scores relative to the greatest so far. Earlier totals shrink if that has grown.");
  body_.open(For{.type = "int", .variable = "j", .end = "width", .step = "vec::L"});
  body_.constant("const auto", "before", "vec::load({} + j)", kGreatest);
  body_.constant("const auto", "now", "vec::max(before, vec::load({} + j))", kPeak);
  body_.constant("const auto", "shift", "vec::max(now, vec::set1<float>(-0x1.fffffep127f))");
  body_.constant("const auto", "scale", "{}({}, before - shift)", exp_, kRuntime);
  body_.variable("auto", "sum", "vec::set1<float>(0)");
  body_.open(For{.variable = "k", .end = "some"});
  body_.constant("float* const", "line", "scores + k * width + j");
  body_.constant("const auto", "power", "{}({}, vec::load(line) - shift)", exp_, kRuntime);
  body_.line("vec::store(line, power);");
  body_.line("sum = sum + power;");
  body_.close();
  body_.line("vec::store({} + j, now);", kGreatest);
  body_.line("vec::store({} + j, scale);", kShrink);
  body_.line("vec::store({0} + j, vec::load({0} + j) * scale + sum);", kTotal);
  body_.close();
}

void AttentionWriter::write_values() {
  const int64_t mr = tile().mr;
  const BlockMatrix& m = values_block_;
  body_.comment(
      "Products of the powers and the values of the block, added to the earlier sums, which shrink likewise.");
  body_.constant("float* const", "into", "key0 == 0 ? {} : part", kSums);
  body_.open(For{.variable = "column", .end = "columns", .step = Code(mr)});
  body_.let("size", "vec::imin(columns - column, {})", mr);
  body_.line("{}[size]({}, {}, some, scores, into + column * width);", tile_functions("value_tiles", m),
             sum(m.block, times("column", m.row_stride)), m.ld());
  body_.close();
  body_.open_if("key0 > 0");
  body_.each({.variable = "i", .end = "columns * width", .step = "vec::L"},
             code("vec::store({0} + i, vec::load({0} + i) * vec::load({1} + i % width) + vec::load(part + i));", kSums,
                  kShrink));
  body_.close();
}

}  // namespace cppgen::forms
