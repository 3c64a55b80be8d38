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

// A convolution with a single tap, whose images are not the program's to arrange.
class Turning {
 public:
  Turning(Program& program, LoopNest& nest, const Options& options, const Target& target)
      : program_(program), nest_(nest), options_(options), target_(target) {}

  FusionDecision prepare() {
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
    if (!stays(left->buffer) || !stays(nest_.stores[0].buffer))
      return FusionDecision::no("the layout of an image can be chosen");
    const auto row_bytes = points(view_->k).constant() * int64_t(sizeof(float));
    if (row_bytes % target_.l1_set_period == 0)
      return FusionDecision::no("the rows of the weights would evict each other from the cache");
    if (packed_weights_are_faster()) return FusionDecision::no("tiles of bfloat16 need packed weights");
    find_points();
    if (!points_.loop.extent.is_constant() || fastest_ == view_->rows.size())
      return FusionDecision::no("the points of an image are not contiguous, or their number is not known");
    const int64_t count = points_.loop.extent.constant(), lanes = target_.lanes;
    if (double(count) < kLeastFilled * double(pieces(count, lanes) * lanes))
      return FusionDecision::no("the points of an image would fill vectors badly");
    return FusionDecision::yes();
  }

  void apply() {
    const auto is_point = [&](const Loop& l) { return points_.positions.contains(l.var.node()); };
    std::vector<Loop> loops;
    std::vector<AxisRole> roles;
    for (size_t i = 0; i < nest_.loops.size(); i++) {
      if (is_point(nest_.loops[i])) continue;
      const AxisRole role = nest_.roles[i];
      loops.push_back(nest_.loops[i]);
      roles.push_back(role == AxisRole::columns ? AxisRole::rows : AxisRole::batch);
    }
    loops.push_back(points_.loop), roles.push_back(AxisRole::columns);
    roles.insert(roles.end(), nest_.reduced.size(), AxisRole::k);
    ir::Rewrite rewrite;
    rewrite.indices = points_.positions;
    ir::rewrite(*program_.exprs, nest_, rewrite);
    Expr& product = nest_.reductions[0].value;
    product = program_.exprs->binary(ir::BinaryOp::mul, product->args[1], product->args[0]);
    nest_.loops = std::move(loops), nest_.roles = std::move(roles);
  }

 private:
  static constexpr double kLeastFilled = 0.9;
  Program& program_;
  LoopNest& nest_;
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

  bool stays(BufferId b) const { return program_.buffer(b).kind != ir::BufferKind::temporary; }

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

}  // namespace

void turn_convolutions(Draft& draft) {
  const auto& backends = draft.options.max_autotune_conv_backends;
  if (!draft.options.conv_1x1_as_mm || backends.empty() || backends[0] != kOwnBackend) return;
  for (auto& statement : draft.program().statements) {
    LoopNest* nest = as_nest(statement);
    if (!nest || !nest->is_contraction()) continue;
    Turning turning(draft.program(), *nest, draft.options, draft.target);
    const FusionDecision decision = turning.prepare();
    draft.log().add("turn", describe(statement), decision);
    if (decision) turning.apply();
  }
}

}  // namespace cppgen::schedule
