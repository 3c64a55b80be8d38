#include <algorithm>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/engines/tile_conditions.h"
#include "cppgen/schedule/merged_loop.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::AxisRole;
using ir::Loop;

constexpr const char* kOwnBackend = "CPP";

// The images of a convolution with a single tap, which are not the program's to arrange.
class Image {
 public:
  Image(const Program& program, const LoopNest& nest, const Options& options, const Target& target)
      : program_(program), nest_(nest), options_(options), target_(target) {}

  FusionDecision stays() {
    view_ = view_of(nest_);
    if (!view_ || !has_single_tap(*view_) || view_->columns.size() != 1 || nest_.stores.size() != 1)
      return FusionDecision::no("the nest does not have this form");
    const Expr left = view_->left, right = view_->right;
    if (program_.buffer(left->buffer).type != DType::f32 || program_.buffer(right->buffer).type != DType::f32)
      return FusionDecision::no("the operands are not float32");
    if (!left->guards.empty() || !left->indirects.empty() || !right->guards.empty() || !right->indirects.empty())
      return FusionDecision::no("an operand is read under a condition");
    if (program_.buffer(right->buffer).kind != ir::BufferKind::constant)
      return FusionDecision::no("the weights are not constant");
    if (!is_fixed(left->buffer) || !is_fixed(nest_.stores[0].buffer))
      return FusionDecision::no("the layout of an image can be chosen");
    const auto row_bytes = points(view_->k).constant() * int64_t(sizeof(float));
    if (row_bytes % target_.l1_set_period == 0)
      return FusionDecision::no("the rows of the weights would evict each other from the cache");
    if (packed_weights_are_faster()) return FusionDecision::no("tiles of bfloat16 need packed weights");
    find_points();
    if (!points_.loop.extent.is_constant() || fastest_ == view_->rows.size())
      return FusionDecision::no("the points of an image are not contiguous, or their number is not known");
    const int64_t count = points_.loop.extent.constant(), lanes = target_.lanes;
    if (count < kFewestPoints || double(count) < kLeastFilled * double(pieces(count, lanes) * lanes))
      return FusionDecision::no("the points of an image would fill vectors badly");
    return FusionDecision::yes();
  }

  const MergedLoop& merged_points() const { return points_; }

 private:
  static constexpr double kLeastFilled = 0.9;
  static constexpr int64_t kFewestPoints = 16;
  const Program& program_;
  const LoopNest& nest_;
  const Options& options_;
  const Target& target_;
  std::optional<ContractionView> view_;
  MergedLoop points_;
  size_t fastest_ = 0;  // the first of the rows that are the points of an image

  // Tiles of parts in bfloat16 multiply packed weights only. Three parts are worth copies of images with many channels.
  bool packed_weights_are_faster() const {
    const Contraction contraction(program_, {}, nest_);
    for (const TileCondition holds : {splits_into_one, splits_into_two, rounds_to_bf16})
      if (holds(contraction, options_, target_)) return true;
    return splits_into_three(contraction, options_, target_) &&
           view_->columns[0].extent.constant() > target_.tuning.turned_columns;
  }

  bool is_fixed(BufferId b) const { return program_.buffer(b).kind != ir::BufferKind::temporary; }

  // Finds the longest run of the last rows that are contiguous both in the input and in the result.
  void find_points() {
    const auto offset = [&](BufferId b, const std::vector<IndexExpr>& indices) {
      return offset_of(program_.buffer(b), row_major(indices.size()), indices);
    };
    const ir::Store& store = nest_.stores[0];
    const IndexExpr from = offset(view_->left->buffer, view_->left->indices), to = offset(store.buffer, store.indices);
    for (fastest_ = 0; fastest_ < view_->rows.size(); fastest_++) {
      points_ = merged_loop(program_, {view_->rows.begin() + long(fastest_), view_->rows.end()}, "p");
      const auto contiguous = [&](IndexExpr offset_of_rows) {
        const auto stride = ir::stride_of(ir::substitute(offset_of_rows, points_.positions), points_.loop.var.node());
        return stride && stride->is_constant(1);
      };
      if (contiguous(from) && contiguous(to)) return;
    }
  }
};

// A product of few rows and a matrix of a run whose K axis is contiguous.
FusionDecision has_few_rows(const Draft& draft, const LoopNest& nest) {
  const Program& program = draft.schedule.program;
  const Tuning& tuning = draft.target.tuning;
  const auto view = view_of(nest);
  if (!view || view->rows.size() != 1 || view->columns.size() != 1 || view->k.size() != 1 || nest.stores.size() != 1)
    return FusionDecision::no("the nest does not have this form");
  const Expr left = view->left, right = view->right;
  const ir::Buffer& matrix = program.buffer(right->buffer);
  if (matrix.kind == ir::BufferKind::constant) return FusionDecision::no("the right operand is constant");
  if (matrix.type != DType::f32 || program.buffer(left->buffer).type != DType::f32 || !left->guards.empty() ||
      !left->indirects.empty() || !right->guards.empty() || !right->indirects.empty())
    return FusionDecision::no("an operand is not float32, or read under a condition");
  if (draft.inside_attentions.contains(nest.stores[0].buffer)) return FusionDecision::no("it belongs to an attention");
  const auto along = [&](const Loop& l) {
    return ir::stride_of(offset_of(matrix, row_major(matrix.shape.size()), right->indices), l.var.node());
  };
  const auto k = along(view->k[0]);
  if (!k || !k->is_constant(1)) return FusionDecision::no("its K axis is not contiguous");
  const IndexExpr rows = view->rows[0].extent, columns = view->columns[0].extent;
  if (!rows.is_constant() || rows.constant() > tuning.turned_rows || !columns.is_constant() ||
      columns.constant() < tuning.turned_rows_columns * rows.constant())
    return FusionDecision::no("it has too many rows for its columns");
  return FusionDecision::yes();
}

// Makes rows of columns, and columns of rows; or, with `points`, one loop of columns of these rows, and batches of the
// others.
void turn(const Program& program, LoopNest& nest, const MergedLoop& points) {
  const bool merges = !points.positions.empty();
  std::vector<Loop> loops;
  std::vector<AxisRole> roles;
  for (size_t i = 0; i < nest.loops.size(); i++) {
    if (points.positions.contains(nest.loops[i].var.node())) continue;
    const AxisRole of_row = merges ? AxisRole::batch : AxisRole::columns;
    loops.push_back(nest.loops[i]);
    roles.push_back(nest.roles[i] == AxisRole::columns ? AxisRole::rows
                    : nest.roles[i] == AxisRole::rows  ? of_row
                                                       : AxisRole::batch);
  }
  if (merges) loops.push_back(points.loop), roles.push_back(AxisRole::columns);
  roles.insert(roles.end(), nest.reduced.size(), AxisRole::k);
  ir::Rewrite rewrite;
  rewrite.indices = points.positions;
  ir::rewrite(*program.exprs, nest, rewrite);
  Expr& product = nest.reductions[0].value;
  product = program.exprs->binary(ir::BinaryOp::mul, product->args[1], product->args[0]);
  nest.loops = std::move(loops), nest.roles = std::move(roles);
}

}  // namespace

void turn_products(Draft& draft) {
  if (draft.options.repeated) return;
  const auto& backends = draft.options.max_autotune_conv_backends;
  const bool turns_images = draft.options.conv_1x1_as_mm && !backends.empty() && backends[0] == kOwnBackend;
  for (auto& statement : draft.program().statements) {
    LoopNest* nest = as_nest(statement);
    if (!nest || !nest->is_contraction()) continue;
    const auto view = view_of(*nest);
    const bool is_image = view && has_single_tap(*view);
    if (is_image && !turns_images) continue;
    Image image(draft.program(), *nest, draft.options, draft.target);
    const FusionDecision decision = is_image ? image.stays() : has_few_rows(draft, *nest);
    draft.log().add("turn", describe(statement), decision);
    if (decision) turn(draft.program(), *nest, is_image ? image.merged_points() : MergedLoop{});
  }
}

}  // namespace cppgen::schedule
