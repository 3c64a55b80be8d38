#include <fmt/format.h>

#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/packed_constant.h"
#include "cppgen/schedule/engines/pad_rows.h"

namespace cppgen::schedule {
namespace {

struct View {
  Expr left = nullptr;
  Expr scales = nullptr;  // of blocks of bytes; null: the rows are numbers
  std::vector<ir::Loop> rows;
  ir::Loop columns, k;
  ir::NBitWeights weights;
};

// A load of numbers, or of bytes times their scales.
bool find_left(Expr e, View& view) {
  if (e->kind == ir::ExprKind::binary && e->binary == ir::BinaryOp::mul) {
    view.scales = e->args[1], e = e->args[0];
    if (view.scales->kind != ir::ExprKind::load || e->kind != ir::ExprKind::cast) return false;
    e = e->args[0];
  }
  view.left = e;
  return e->kind == ir::ExprKind::load;
}

constexpr int64_t kMostBytesOfBlock = int64_t{1} << 16;  // whose sums of products with weights fit 31 bits

// Returns whether the blocks of the rows are those of the weights, and the rows extend to the end of the last one.
bool are_blocks(const Program& program, const View& view) {
  const auto &bytes = view.left->indices, &scales = view.scales->indices;
  const ir::Buffer &left = program.buffer(view.left->buffer), &of_scales = program.buffer(view.scales->buffer);
  const ir::NBitWeights& w = view.weights;
  return left.type == DType::i8 && of_scales.type == DType::f32 && w.block <= kMostBytesOfBlock &&
         bytes.size() == scales.size() && std::equal(bytes.begin(), bytes.end() - 1, scales.begin()) &&
         bytes.back() == view.k.var && scales.back() == ir::floordiv(view.k.var, w.block) &&
         left.shape.back().is_constant(w.blocks() * w.block) && of_scales.shape.back().is_constant(w.blocks()) &&
         view.scales->guards.empty() && view.scales->indirects.empty();
}

std::optional<View> n_bit_view(const Program& program, const LoopNest& nest) {
  if (!nest.is_contraction() || nest.reductions.size() != 1 || nest.reduced.size() != 1) return {};
  const Expr product = nest.reductions[0].value;
  if (product->kind != ir::ExprKind::binary || product->binary != ir::BinaryOp::mul) return {};
  View view;
  view.k = nest.reduced[0];
  if (!find_left(product->args[0], view)) return {};
  size_t columns = 0;
  for (size_t i = 0; i < nest.loops.size(); i++) {
    if (nest.roles[i] == ir::AxisRole::columns)
      view.columns = nest.loops[i], columns++;
    else
      view.rows.push_back(nest.loops[i]);
  }
  if (columns != 1 || moves_with(view.left, view.columns)) return {};
  const auto weights = ir::n_bit_weights(program, product->args[1], view.columns, view.k);
  if (!weights) return {};
  view.weights = *weights;
  if (view.scales && !are_blocks(program, view)) return {};
  return view;
}

bool is_constant(const Program& program, BufferId b) {
  return b < 0 || program.buffer(b).kind == ir::BufferKind::constant;
}

rt::TileFormat format_for(DType left) {
  return left == DType::i8     ? rt::TileFormat::n_bits_of_i8
         : left == DType::f16  ? rt::TileFormat::n_bits_of_f16
         : left == DType::bf16 ? rt::TileFormat::n_bits_of_bf16
                               : rt::TileFormat::n_bits;
}

// Rows that would evict each other are copied, unless there are so few of them that each has a way of the cache.
rt::TileFormat format_for(const Program& program, const Layouts& layouts, const View& view, const Target& target) {
  const rt::TileFormat format = format_for(program.buffer(view.left->buffer).type);
  const rt::TileShape copied = target.tiles[size_t(rt::TileFormat::n_bits_copied)];
  const IndexExpr rows = points(view.rows);
  const bool few = rows.is_constant() && rows.constant() <= target.tuning.rows_per_set;
  const bool copies = format == rt::TileFormat::n_bits && copied.mr > 0 && !few &&
                      rows_need_copies(program, view.left, view.rows, layouts, copied, target);
  return copies ? rt::TileFormat::n_bits_copied : format;
}

FusionDecision supports(const Contraction& contraction, const Options& options, const Target& target) {
  const Program& program = contraction.program;
  const auto view = n_bit_view(program, contraction.nest);
  if (!view) return FusionDecision::no("the weights are not stored in 2, 4 or 8 bits with scales");
  const auto& w = view->weights;
  if (!is_constant(program, w.values) || !is_constant(program, w.scales) || !is_constant(program, w.zeros))
    return FusionDecision::no("the weights are not constant");
  if (!options.weight_prepack) return FusionDecision::no("WEIGHT_PREPACK is 0");
  const ir::Buffer& left = program.buffer(view->left->buffer);
  if (!view->left->guards.empty() || !view->left->indirects.empty())
    return FusionDecision::no("an operand is read under a condition");
  const auto stride = ir::stride_of(contraction.offset(view->left), view->k.var.node());
  if (!stride || !stride->is_constant(1)) return FusionDecision::no("the left operand's K axis is not contiguous");
  const rt::TileFormat format = format_for(left.type);
  if (rt::tile_formats()[size_t(format)].left != left.type || target.tiles[size_t(format)].mr == 0)
    return FusionDecision::no(fmt::format("there are no tiles of {} for {}", name_of(left.type), target.isa));
  return FusionDecision::yes();
}

// A nest that writes what tiles of bytes read with each block of a row: its scale and the sum of its bytes. Returns the
// load of the row's first.
Expr add_heads(Program& program, Layouts& layouts, const View& view, Prepared& prepared) {
  ir::ExprArena& exprs = *program.exprs;
  const ir::NBitWeights& w = view.weights;
  const ir::Buffer& scales = program.buffer(view.scales->buffer);
  LoopNest nest;
  nest.name = "block_sums";
  std::vector<IndexExpr> block, shape = scales.shape;
  for (IndexExpr extent : shape) nest.loops.push_back({program.index->loop("i", extent), extent});
  for (const ir::Loop& loop : nest.loops) block.push_back(loop.var);
  nest.reduced.push_back({program.index->loop("k", w.block), w.block});
  std::vector<IndexExpr> byte = block, head = block;
  byte.back() = block.back() * w.block + nest.reduced[0].var;
  std::vector<ir::Guard> guards;
  if (w.k % w.block != 0) guards.push_back({byte.back(), 0, w.k});
  const Expr value =
      exprs.load(view.left->buffer, DType::i8, byte, guards, guards.empty() ? nullptr : exprs.zero(DType::i8));
  nest.reductions.push_back({ir::ReduceOp::sum, DType::i32, exprs.cast(DType::i32, value)});
  const Expr scale = exprs.load(scales.id, DType::f32, block),
             sum = exprs.cast(DType::f32, exprs.accumulator(0, DType::i32));
  shape.push_back(2), head.push_back(0);
  const BufferId heads = program.add_buffer(scales.name + ".heads", DType::f32, shape, ir::BufferKind::temporary);
  layouts.push_back(row_major(shape.size()));
  nest.stores.push_back({heads, head, scale});
  head.back() = 1;
  nest.stores.push_back({heads, head, sum});
  prepared.copies.push_back({std::move(nest), "sums", "tiles of bytes read the sum of each block"});
  std::vector<IndexExpr> first(view.left->indices.begin(), view.left->indices.end());
  first.back() = 0, first.push_back(0);
  return exprs.load(heads, DType::f32, first);
}

Prepared prepare(Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
  const View view = *n_bit_view(program, nest);
  TileContraction c;
  c.format = format_for(program, layouts, view, target), c.shape = target.tiles[size_t(c.format)];
  c.blocking = options.blocking;
  c.left = view.left, c.rows = view.rows, c.columns = view.columns, c.k = view.k;
  Prepared result;
  if (view.scales) {
    c.left_scales = add_heads(program, layouts, view, result);
    result.copies.back().nest.origins = nest.origins;
  }
  const rt::NBitSource source = source_of(program, view.weights);
  const rt::n_bits::PanelHeader header = rt::n_bit_header(source);
  c.panel_elements = rt::n_bits::panel_bytes(header, source.k, c.shape.nr);
  c.unpacked_k = view.scales ? 0 : rt::n_bits::unpacked_k(header);
  const IndexExpr panels = ir::ceildiv(c.columns.extent, c.shape.nr);
  c.packed = program.add_buffer(program.buffer(view.weights.values).name + ".packed", DType::u8,
                                {panels, c.panel_elements}, ir::BufferKind::constant);
  layouts.push_back(row_major(2));
  PackedConstant packed{};
  packed.source = view.weights.values, packed.packed = c.packed, packed.format = c.format, packed.width = c.shape.nr;
  packed.batch_offsets = {0}, packed.n_bits = view.weights;
  result.packed.push_back(std::move(packed));
  // A nest cannot express the contents of the panels; this one only records that they are read.
  c.right = program.exprs->load(c.packed, DType::u8, {ir::floordiv(c.columns.var, c.shape.nr), 0});
  ir::ExprArena& exprs = *program.exprs;
  Expr left = exprs.cast(DType::f32, view.left);
  if (view.scales) left = exprs.binary(ir::BinaryOp::mul, left, c.left_scales);
  nest.reductions[0].value = exprs.binary(ir::BinaryOp::mul, left, exprs.cast(DType::f32, c.right));
  result.nest = std::move(nest), result.step = std::move(c);
  return result;
}

}  // namespace

Engine n_bit_engine() { return {"cppgen-n-bits", "CPP", supports, prepare}; }

}  // namespace cppgen::schedule
