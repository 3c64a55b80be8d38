// Attention: one unit is a panel of queries of one batch point, whose rows are the lanes. For each block of keys: the
// scores (keys x rows) by tiles whose left operand is the keys where they lie, what follows them, the powers against
// the greatest score so far, and their product with the values where they lie. Sums of earlier blocks are scaled down
// when a greater score appears, so a unit needs scratch for one block only (online softmax: Milakov and Gimelshein,
// 2018).
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/kernel_writer.h"

namespace cppgen::codegen {

using ir::IndexExpr;
using ir::Loop;

namespace {

// Keys of one block: all of a short sequence, else as many as keep the scores in L1 or L2; full tiles on each ISA.
constexpr int64_t kShortSequence = 512, kBlock = 252;

int64_t keys_of_block(const schedule::Attention& a) {
  const IndexExpr keys = a.keys.extent;
  return keys.is_constant() && keys.constant() <= kShortSequence ? std::max<int64_t>(keys.constant(), 1) : kBlock;
}

// An operand as tiles read it: element (row, step) at row * ld + step, or at row + step * ld.
struct LeftMatrix {
  IndexExpr base, row_stride, step_stride;
  bool rows_contiguous;
  IndexExpr ld() const { return rows_contiguous ? step_stride : row_stride; }
};

LeftMatrix matrix_of(IndexExpr offset, const Loop& rows, const Loop& steps) {
  LeftMatrix m;
  m.row_stride = *ir::stride_of(offset, rows.var.node()), m.step_stride = *ir::stride_of(offset, steps.var.node());
  m.base = ir::substitute(offset, {{rows.var.node(), 0}, {steps.var.node(), 0}});
  const bool steps_contiguous = m.step_stride.is_constant(1) || steps.extent.is_constant(1);
  m.rows_contiguous = !steps_contiguous;
  return m;
}

}  // namespace

void AttentionWriter::declare_scratch() {
  const auto& a = *kernel_.attention;
  const int64_t nr = tile().nr, block = keys_of_block(a);
  before_.line("const vec::i64 rows = {}, keys = {};", index_text(a.rows.extent), index_text(a.keys.extent));
  before_.line("const vec::i64 depth = {}, columns = {};", index_text(a.depth.extent), index_text(a.columns.extent));
  before_.line("const vec::i64 panels = (rows + {}) / {};", nr - 1, nr);
  before_.line("float* const query = (float*)args->scratch;  // [depth][width]");
  before_.line("float* const scores = query + depth * {};    // [key][width]", nr);
  before_.line("float* const sums = scores + {};    // [column][width]", block * nr);
  before_.line("float* const part = sums + columns * {};", nr);
  for (const char* name : {"peak", "greatest", "total", "shrink"}) before_.line("alignas(64) float {}[{}];", name, nr);
  IndexExpr rows_of_scratch = a.depth.extent + 2 * a.columns.extent + (block + 1);
  for (const auto& t : turned_loads()) {
    const std::string_view type = storage_type(schedule_.program.buffer(t.load->buffer).type);
    before_.line("{0}* const {1} = ({0}*)((float*)args->scratch + ({2}) * {3});", type, t.scratch,
                 index_text(rows_of_scratch), nr);
    rows_of_scratch = rows_of_scratch + 2 * block;  // no element is larger than a double
  }
  text_.scratch_bytes = rows_of_scratch * (4 * nr);
}

void AttentionWriter::write_body() {
  const auto& a = *kernel_.attention;
  const int64_t nr = tile().nr;
  text_.range = ir::ceildiv(a.rows.extent, nr);
  for (const Loop& l : a.batch) text_.range = text_.range * l.extent;
  text_.unit_work = (a.depth.extent + a.columns.extent) * a.keys.extent * (nr / 8);
  declare_scratch();
  body_.line("const vec::i64 row0 = unit % panels * {};", nr);
  if (!a.batch.empty()) {
    body_.line("const vec::i64 batch = unit / panels;");
    decompose(body_, "batch", a.batch);
  }
  body_.line("const int count = int(vec::imin(rows - row0, {}));", nr);
  body_.line("const int half = count <= {}, width = half ? {} : {};", nr / 2, nr / 2, nr);
  write_query_panel();
  body_.open("for (int j = 0; j < width; j++)");
  body_.line("greatest[j] = -__builtin_inff(), total[j] = 0;");
  body_.close();
  write_key_block();
  write_result();
  write_epilogue();
}

void AttentionWriter::write_query_panel() {
  const auto& a = *kernel_.attention;
  LeftMatrix m = matrix_of(context_.offset(a.query->buffer, a.query->indices), a.rows, a.depth);
  const std::string ld = index_text(m.row_stride), step = index_text(m.step_stride);
  body_.line("const float* const q = {} + {} + row0 * ({});", context_.pointers.at(a.query->buffer), index_text(m.base),
             ld);
  if (!m.rows_contiguous) {
    body_.line("vec::transpose_tiles(query, width, q, {}, count, int(depth));", ld);
  } else {
    body_.open("for (vec::i64 k = 0; k < depth; k++)");
    body_.line("for (int j = 0; j < count; j++) query[k * width + j] = q[j * ({}) + k * ({})];", ld, step);
    body_.close();
  }
  body_.open("for (vec::i64 k = 0; k < depth; k++)");
  body_.line("for (int j = count; j < width; j++) query[k * width + j] = 0;");
  body_.close();
}

std::vector<AttentionWriter::TurnedLoad> AttentionWriter::turned_loads() const {
  const auto& a = *kernel_.attention;
  std::vector<TurnedLoad> found;
  for (Expr e : ir::postorder({&a.score, 1})) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = context_.offset(e->buffer, e->indices);
    const auto along = ir::stride_of(offset, a.keys.var.node()), across = ir::stride_of(offset, a.rows.var.node());
    if (!along || !along->is_constant(1) || !across || across->is_constant(0) || across->is_constant(1)) continue;
    const IndexExpr start = ir::substitute(offset, {{a.keys.var.node(), 0}, {a.rows.var.node(), 0}});
    found.push_back({e, start, *across, fmt::format("turned{}", found.size())});
  }
  return found;
}

// The tile function for `rows` (text) rows of a matrix.
static std::string tile_function(const LeftMatrix& m, const char* rows) {
  return fmt::format("rt->strided[{} + half][{}]", m.rows_contiguous ? 2 : 0, rows);
}

void AttentionWriter::write_key_block() {
  const auto& a = *kernel_.attention;
  std::string row = name_loop(a.rows);
  name_loop(a.keys);
  ValueEmitter e(context_, {a.rows.var.node(), a.keys.var.node()}, a.rows.var.node(), "n");
  e.bind_accumulator(0, "vec::load(line)", 2);
  const auto turned = turned_loads();
  for (const auto& t : turned)
    e.bind_load(t.load, fmt::format("vec::ld({} + ({} - key0) * width + ({} - row0), n)", t.scratch,
                                    index_text(a.keys.var), row));
  std::string score = e.emit(a.score);
  add_lines(e.lines[0]);
  const int64_t block = keys_of_block(a);
  body_.open("for (vec::i64 key0 = 0; key0 < keys; key0 += {})", block);
  body_.line("const vec::i64 some = vec::imin(keys - key0, {});", block);
  body_.line("for (int j = 0; j < width; j++) peak[j] = -__builtin_inff();");
  for (const auto& t : turned)
    body_.line("vec::transpose_tiles({}, width, {} + {} + key0 + row0 * ({}), {}, count, int(some));", t.scratch,
               context_.pointers.at(t.load->buffer), index_text(t.start), index_text(t.ld), index_text(t.ld));
  write_score_tiles(e.lines[2], e, score);
  write_powers();
  write_values();
  body_.close();
}

void AttentionWriter::write_score_tiles(const std::vector<std::string>& values, const ValueEmitter& e,
                                        const std::string& score) {
  const auto& a = *kernel_.attention;
  const int64_t mr = tile().mr;
  LeftMatrix m = matrix_of(context_.offset(a.key->buffer, a.key->indices), a.keys, a.depth);
  const std::string row = index_text(a.rows.var), key = index_text(a.keys.var);
  body_.line("const vec::i64 tiles = (some + {}) / {}, least = some / tiles, larger = some % tiles;", mr - 1, mr);
  body_.open("for (vec::i64 tile = 0; tile < tiles; tile++)");
  body_.line("const vec::i64 first = key0 + tile * least + vec::imin(tile, larger), size = least + (tile < larger);");
  body_.line("{}({} + {} + first * ({}), {}, depth, query, scores + (first - key0) * width);", tile_function(m, "size"),
             context_.pointers.at(a.key->buffer), index_text(m.base), index_text(m.row_stride), index_text(m.ld()));
  body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", row);
  body_.line("(void)n;");
  add_lines(e.lines[1]);
  body_.line("auto top = vec::load(peak + ({} - row0));", row);
  body_.open("for (vec::i64 {0} = first; {0} < first + size; {0}++)", key);
  body_.line("float* const line = scores + ({} - key0) * width + ({} - row0);", key, row);
  add_lines(values);
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
  body_.line("const auto scale = vec::exp(rt, before - shift);");
  body_.line("auto sum = vec::set1<float>(0);");
  body_.open("for (vec::i64 k = 0; k < some; k++)");
  body_.line("float* const line = scores + k * width + j;");
  body_.line("const auto power = vec::exp(rt, vec::load(line) - shift);");
  body_.line("vec::store(line, power);");
  body_.line("sum = sum + power;");
  body_.close();
  body_.line("vec::store(greatest + j, now);");
  body_.line("vec::store(shrink + j, scale);");
  body_.line("vec::store(total + j, vec::load(total + j) * scale + sum);");
  body_.close();
}

void AttentionWriter::write_values() {
  const auto& a = *kernel_.attention;
  const int64_t mr = tile().mr;
  LeftMatrix m = matrix_of(context_.offset(a.value->buffer, a.value->indices), a.columns, a.keys);
  if (a.columns.extent.is_constant(1)) m.rows_contiguous = true;
  body_.line("float* const into = key0 == 0 ? sums : part;");
  body_.open("for (vec::i64 column = 0; column < columns; column += {})", mr);
  body_.line("const vec::i64 size = vec::imin(columns - column, {});", mr);
  body_.line("{}({} + {} + key0 * ({}) + column * ({}), {}, some, scores, into + column * width);",
             tile_function(m, "size"), context_.pointers.at(a.value->buffer), index_text(m.base),
             index_text(m.step_stride), index_text(m.row_stride), index_text(m.ld()));
  body_.close();
  body_.open("for (vec::i64 i = 0; key0 > 0 && i < columns * width; i += vec::L)");
  body_.line("vec::store(sums + i, vec::load(sums + i) * vec::load(shrink + i % width) + vec::load(part + i));");
  body_.close();
}

// The rows of the result, one after the other, in `part`.
void AttentionWriter::write_result() {
  const auto& a = *kernel_.attention;
  if (a.keys.extent.range().lo < 1) {
    body_.line("for (int j = 0; keys == 0 && j < width; j++) total[j] = 1;");
    body_.line("for (vec::i64 i = 0; keys == 0 && i < columns * width; i++) sums[i] = 0;");
  }
  body_.open("for (int j = 0; j < width; j += vec::L)");
  body_.line("const auto all = vec::load(total + j){};",
             a.divides ? "" : ", scale = vec::div(vec::set1<float>(1), all)");
  body_.line("for (float* p = sums + j; p < sums + columns * width; p += width) vec::store(p, {});",
             a.divides ? "vec::div(vec::load(p), all)" : "vec::load(p) * scale");
  body_.close();
  body_.line("vec::transpose_tiles(part, columns, sums, width, int(columns), count);");
}

void AttentionWriter::write_epilogue() {
  const auto& a = *kernel_.attention;
  const std::string row = name_loop(a.rows), column = name_loop(a.columns);
  ValueEmitter e(context_, {a.rows.var.node(), a.columns.var.node()}, a.columns.var.node(), "n");
  e.bind_accumulator(0, fmt::format("vec::load(part + ({} - row0) * columns + {})", row, column), 2);
  e.store(kernel_.segments[0].stores);
  add_lines(e.lines[0]);
  body_.open("for (vec::i64 {0} = row0; {0} < row0 + count; {0}++)", row);
  add_lines(e.lines[1]);
  body_.open("auto body = [&](const vec::i64 {}, auto n) CPPGEN_LAMBDA", column);
  add_lines(e.lines[2]);
  body_.close("};");
  body_.line("vec::i64 at = 0;");
  body_.line("for (; at + vec::L <= columns; at += vec::L) body(at, vec::All{{}});");
  body_.line("if (at < columns) body(at, vec::Tail{{int(columns - at)}});");
  body_.close();
}

}  // namespace cppgen::codegen
