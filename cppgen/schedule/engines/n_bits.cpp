#include <fmt/format.h>

#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/packed_constant.h"
#include "cppgen/schedule/engines/pad_rows.h"

namespace cppgen::schedule {
namespace {

struct View {
  Expr left = nullptr;
  std::vector<ir::Loop> rows;
  ir::Loop columns, depth;
  ir::NBitWeights weights;
};

std::optional<View> n_bit_view(const Program& program, const LoopNest& nest) {
  if (!nest.is_contraction() || nest.reductions.size() != 1 || nest.reduced.size() != 1) return {};
  const Expr product = nest.reductions[0].value;
  if (product->kind != ir::ExprKind::binary || product->binary != ir::BinaryOp::mul) return {};
  View view;
  view.left = product->args[0], view.depth = nest.reduced[0];
  if (view.left->kind != ir::ExprKind::load) return {};
  size_t columns = 0;
  for (size_t i = 0; i < nest.loops.size(); i++) {
    if (nest.roles[i] == ir::AxisRole::columns)
      view.columns = nest.loops[i], columns++;
    else
      view.rows.push_back(nest.loops[i]);
  }
  if (columns != 1 || moves_with(view.left, view.columns)) return {};
  const auto weights = ir::n_bit_weights(program, product->args[1], view.columns, view.depth);
  if (!weights) return {};
  view.weights = *weights;
  return view;
}

bool is_constant(const Program& program, BufferId b) {
  return b < 0 || program.buffer(b).kind == ir::BufferKind::constant;
}

rt::TileFormat format_for(DType left) {
  return left == DType::f16    ? rt::TileFormat::n_bits_of_f16
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
  const auto stride = ir::stride_of(contraction.offset(view->left), view->depth.var.node());
  if (!stride || !stride->is_constant(1)) return FusionDecision::no("the left operand's depth is not contiguous");
  const rt::TileFormat format = format_for(left.type);
  if (rt::tile_formats()[size_t(format)].left != left.type || target.tiles[size_t(format)].mr == 0)
    return FusionDecision::no(fmt::format("there are no tiles of {} for {}", name_of(left.type), target.isa));
  return FusionDecision::yes();
}

Prepared prepare(Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
  const View view = *n_bit_view(program, nest);
  TileContraction c;
  c.format = format_for(program, layouts, view, target), c.shape = target.tiles[size_t(c.format)];
  c.blocking = options.blocking;
  c.left = view.left, c.rows = view.rows, c.columns = view.columns, c.depth = view.depth;
  const rt::NBitSource source = source_of(program, view.weights);
  const rt::n_bits::PanelHeader header = rt::n_bit_header(source);
  c.panel_elements = rt::n_bits::panel_bytes(header, source.depth, c.shape.nr);
  c.unpacked_depth = rt::n_bits::unpacked_depth(header);
  const IndexExpr panels = ir::ceildiv(c.columns.extent, c.shape.nr);
  c.packed = program.add_buffer(program.buffer(view.weights.values).name + ".packed", DType::u8,
                                {panels, c.panel_elements}, ir::BufferKind::constant);
  layouts.push_back(row_major(2));
  PackedConstant packed{};
  packed.source = view.weights.values, packed.packed = c.packed, packed.format = c.format, packed.width = c.shape.nr;
  packed.batch_offsets = {0}, packed.n_bits = view.weights;
  Prepared result;
  result.packed.push_back(std::move(packed));
  // A nest cannot express the contents of the panels; this one only records that they are read.
  c.right = program.exprs->load(c.packed, DType::u8, {ir::floordiv(c.columns.var, c.shape.nr), 0});
  nest.reductions[0].value =
      program.exprs->binary(ir::BinaryOp::mul, view.left, program.exprs->cast(DType::f32, c.right));
  result.nest = std::move(nest), result.step = std::move(c);
  return result;
}

}  // namespace

Engine n_bit_engine() { return {"cppgen-n-bits", "CPP", supports, prepare}; }

}  // namespace cppgen::schedule
