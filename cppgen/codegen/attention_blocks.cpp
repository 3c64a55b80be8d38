// Attention, one block of keys: scores, powers and products with the values.

#include <cmath>

#include "cppgen/codegen/attention_writer.h"

namespace cppgen::codegen {

// The tile function for `rows` (text) rows of a matrix.
static Code tile_function(const BlockMatrix& m, const char* rows) {
  return code("{}->strided[{} + half][{}]", kRuntime, m.rows_contiguous ? 2 : 0, rows);
}

BlockMatrix AttentionWriter::in_place(Expr load, const kernel::OperandMatrix& m, IndexExpr key_stride) const {
  return {code("({} + key0 * {})", at(context_.pointers.at(load->buffer), index_text(m.base)), factor(key_stride)),
          factor(m.row_stride), factor(m.step_stride), m.rows_contiguous};
}

// Writes the copy of a block, contiguous along the same loop, if the tensor is narrow.
BlockMatrix AttentionWriter::widened(Expr load, const kernel::OperandMatrix& m, const ir::Loop& rows,
                                     const ir::Loop& steps, const Code& copy) {
  const ir::Loop& keys = attention().keys;
  const BlockMatrix source = in_place(load, m, rows.var == keys.var ? m.row_stride : m.step_stride);
  if (!is_narrow(load)) return source;
  const auto count = [&](const ir::Loop& l) { return l.var == keys.var ? "in_block" : index_text(l.extent); };
  const ir::Loop &along = m.rows_contiguous ? rows : steps, &across = m.rows_contiguous ? steps : rows;
  const Code ld = along.var == keys.var ? std::to_string(plan_.key_block) : count(along);
  body_.line("vec::copy_rows({}, {}, {}, {}, {}, {});", copy, ld, source.block, source.ld(), count(across),
             count(along));
  return {copy, m.rows_contiguous ? "1" : ld, m.rows_contiguous ? ld : "1", m.rows_contiguous};
}

void AttentionWriter::write_key_blocks() {
  const auto& a = attention();
  Code row = name_loop(a.rows);
  name_loop(a.keys);
  ValueEmitter e(context_, {a.rows.var.node(), a.keys.var.node()}, a.rows.var.node(), "n");
  e.bind_accumulator(0, "vec::load(line)", 2);
  const auto block_of = [](const auto& turned) { return TurnedBlock{turned.scratch, "width"}; };
  for (const auto& t : plan_.turned)
    e.bind_load(t.load, block_of(t).load(index_text(a.keys.var) + " - key0", row + " - row0"));
  Code score = e.emit(a.score);
  body_.add(e.lines[0]);
  const int64_t block = plan_.key_block;
  const auto& seen = plan_.hidden;
  body_.open("for (vec::i64 key0 = 0; key0 < {}; key0 += {})", seen ? "seen_by_unit" : "keys", block);
  body_.line("const vec::i64 in_block = vec::imin(keys - key0, {});", block);
  keys_block_ = widened(a.key, plan_.keys, a.keys, a.depth, "wide_keys");
  values_block_ = widened(a.value, plan_.values, a.columns, a.keys, "wide_values");
  open_panels();
  const Code end = seen ? write_visible(*seen) : "keys";
  body_.line("const vec::i64 some = vec::imin({} - key0, {});", end, block);
  body_.line("vec::fill(peak, width, -__builtin_inff());");
  for (const auto& t : plan_.turned)
    body_.text(block_of(t).fill(
        code("{} + key0 + row0 * {}", at(context_.pointers.at(t.load->buffer), index_text(t.start)), factor(t.ld)),
        index_text(t.ld), "count", "int(some)"));
  write_score_tiles(e.lines[2], e, score);
  write_powers();
  write_values();
  body_.close();
  body_.close();
}

Code AttentionWriter::write_visible(const kernel::KeysSeen& seen) {
  body_.line("const vec::i64 visible = leave_out ? vec::imin(keys, vec::imax({} + {} * (row0 + count - 1), 1)) : keys;",
             index_text(seen.first), seen.by_row);
  if (!std::isfinite(seen.fill)) {
    body_.line("if (key0 >= visible) continue;");
    return "visible";
  }
  body_.open("if (key0 >= visible)");
  body_.line("auto least = vec::load(greatest);");
  body_.line("for (int j = vec::L; j < width; j += vec::L) least = vec::min(least, vec::load(greatest + j));");
  body_.line("if (vec::lane(vec::all_min(least), 0) > {:a}f) continue;", seen.harmless_above());
  body_.close();
  return "keys";
}

void AttentionWriter::write_score_tiles(const Statements& values, const ValueEmitter& e, const Code& score) {
  const auto& a = attention();
  const int64_t mr = tile().mr;
  const BlockMatrix& m = keys_block_;
  const Code row = index_text(a.rows.var), key = index_text(a.keys.var);
  body_.line("const vec::i64 tiles = (some + {}) / {}, least = some / tiles, larger = some % tiles;", mr - 1, mr);
  body_.open("for (vec::i64 tile = 0; tile < tiles; tile++)");
  body_.line("const vec::i64 first = key0 + tile * least + vec::imin(tile, larger), size = least + (tile < larger);");
  body_.line("{}({} + (first - key0) * {}, {}, depth, query, scores + (first - key0) * width);",
             tile_function(m, "size"), m.block, m.row_stride, m.ld());
  body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", row);
  body_.line("(void)n;");
  body_.add(e.lines[1]);
  body_.line("auto top = vec::load(peak + ({} - row0));", row);
  body_.open("for (vec::i64 {0} = first; {0} < first + size; {0}++)", key);
  body_.line("float* const line = scores + ({} - key0) * width + ({} - row0);", key, row);
  body_.add(values);
  if (score != "vec::load(line)") body_.line("vec::store(line, {});", score);
  body_.line("top = vec::max(top, {});", score);
  body_.close();
  body_.line("vec::store(peak + ({} - row0), top);", row);
  body_.close("};");
  body_.line("vec::i64 at = row0;");
  body_.line("for (; at + vec::L <= row0 + count; at += vec::L) body(at, vec::All{{}});");
  body_.line("if (at < row0 + count) body(at, vec::Tail{{int(row0 + count - at)}});");
  body_.close();
}

// Where all scores so far are -infinity, powers are taken against a finite number: they are 0, and so is the total,
// which makes the row NaN if it stays so.
void AttentionWriter::write_powers() {
  body_.open("for (int j = 0; j < width; j += vec::L)");
  body_.line("const auto before = vec::load(greatest + j), now = vec::max(before, vec::load(peak + j));");
  body_.line("const auto shift = vec::max(now, vec::set1<float>(-0x1.fffffep127f));");
  body_.line("const auto scale = vec::exp({}, before - shift);", kRuntime);
  body_.line("auto sum = vec::set1<float>(0);");
  body_.open("for (vec::i64 k = 0; k < some; k++)");
  body_.line("float* const line = scores + k * width + j;");
  body_.line("const auto power = vec::exp({}, vec::load(line) - shift);", kRuntime);
  body_.line("vec::store(line, power);");
  body_.line("sum = sum + power;");
  body_.close();
  body_.line("vec::store(greatest + j, now);");
  body_.line("vec::store(shrink + j, scale);");
  body_.line("vec::store(total + j, vec::load(total + j) * scale + sum);");
  body_.close();
}

void AttentionWriter::write_values() {
  const int64_t mr = tile().mr;
  const BlockMatrix& m = values_block_;
  body_.line("float* const into = key0 == 0 ? sums : part;");
  body_.open("for (vec::i64 column = 0; column < columns; column += {})", mr);
  body_.line("const vec::i64 size = vec::imin(columns - column, {});", mr);
  body_.line("{}({} + column * {}, {}, some, scores, into + column * width);", tile_function(m, "size"), m.block,
             m.row_stride, m.ld());
  body_.close();
  body_.open("for (vec::i64 i = 0; key0 > 0 && i < columns * width; i += vec::L)");
  body_.line("vec::store(sums + i, vec::load(sums + i) * vec::load(shrink + i % width) + vec::load(part + i));");
  body_.close();
}

}  // namespace cppgen::codegen
