// Convolutions of 3 or 5 taps along one or both directions by Winograd's algorithm
// (runtime/contraction/winograd.h): patches of inputs are transformed, multiplied by transformed weights on tiles, and
// transformed back.
#include "runtime/contraction/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/panels.h"
#include "cppgen/schedule/engines/row_tiling.h"
#include "cppgen/schedule/engines/tiles.h"
#include "cppgen/schedule/engines/winograd_inputs.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

constexpr std::array kFormats{rt::TileFormat::f32, rt::TileFormat::f32_wide, rt::TileFormat::f32_narrow};

// The loops over results along the directions of an image, or of a sequence, and those over its taps.
struct Directions {
  std::span<const Loop> rows, taps;
};

std::optional<Directions> directions_of(const ContractionView& view) {
  const size_t count = view.k.size() - 1;  // the last loop is that of channels
  if (view.k.size() < 2 || count > 2 || view.rows.size() < count) return std::nullopt;
  return Directions{std::span(view.rows).last(count), std::span(view.k).first(count)};
}

// The dimension of the left operand with the index stride * row + tap + constant, or, with one tap, with any index of
// the row; nullopt if there is none, or if the row or the tap is part of another one, too.
std::optional<size_t> window_dimension(Expr left, const Loop& row, const Loop& tap, int stride) {
  std::optional<size_t> dimension;
  for (size_t d = 0; d < left->indices.size(); d++) {
    const IndexExpr index = left->indices[d];
    const bool has_row = ir::depends_on(index, row.var.node()), has_tap = ir::depends_on(index, tap.var.node());
    if (!has_row && !has_tap) continue;
    const auto step = ir::stride_of(index, row.var.node()), step_of_tap = ir::stride_of(index, tap.var.node());
    if (dimension || !step || !step_of_tap) return std::nullopt;
    if (!tap.extent.is_constant(1) && !(step->is_constant(stride) && step_of_tap->is_constant(1))) return std::nullopt;
    dimension = d;
  }
  return dimension;
}

// The forms with patches of this side for the taps.
std::vector<rt::winograd::Form> forms_for_taps(const ContractionView& view, int side) {
  const auto directions = directions_of(view);
  if (!directions) return {};
  std::vector<int64_t> taps;  // along the directions that have some
  for (const Loop& loop : directions->taps) {
    if (!loop.extent.is_constant()) return {};
    if (!loop.extent.is_constant(1)) taps.push_back(loop.extent.constant());
  }
  std::vector<rt::winograd::Form> forms;
  for (const rt::winograd::Form form : rt::winograd::kForms)
    if (form.side == side && taps == std::vector<int64_t>(form.flat ? 1 : 2, form.taps)) forms.push_back(form);
  return forms;
}

bool reads_with(Expr load, const Loop& loop) {
  return std::any_of(load->indices.begin(), load->indices.end(),
                     [&](IndexExpr index) { return ir::depends_on(index, loop.var.node()); });
}

// The dimensions of the left operand that are the directions; empty if they are not regular, with this stride. A
// direction of one result and one tap may have none, because a view that adds it is part of the load.
std::vector<size_t> window_dimensions(const ContractionView& view, int stride) {
  const Directions directions = *directions_of(view);
  std::vector<size_t> dimensions;
  for (size_t i = 0; i < directions.rows.size(); i++) {
    if (directions.taps[i].extent.is_constant(1) && !reads_with(view.left, directions.rows[i])) continue;
    const auto dimension = window_dimension(view.left, directions.rows[i], directions.taps[i], stride);
    if (!dimension) return {};
    dimensions.push_back(*dimension);
  }
  return dimensions;
}

// A form that a convolution has, and the dimensions of its left operand that are the directions.
struct Windows {
  rt::winograd::Form form;
  std::vector<size_t> dimensions;
};

std::optional<Windows> windows_of(const ContractionView& view, int side) {
  for (const rt::winograd::Form form : forms_for_taps(view, side))
    if (auto dimensions = window_dimensions(view, form.stride); !dimensions.empty())
      return Windows{form, std::move(dimensions)};
  return std::nullopt;
}

// Returns whether the groups of channels, if there are several, follow each other in the dimension of the channels.
bool groups_are_neighbours(const ContractionView& view) {
  if (view.batch.empty()) return true;
  if (view.batch.size() > 1 || !view.batch[0].extent.is_constant()) return false;
  const ir::IndexNode *group = view.batch[0].var.node(), *channel = view.k.back().var.node();
  const auto& indices = view.left->indices;
  return std::count_if(indices.begin(), indices.end(), [&](IndexExpr i) { return ir::depends_on(i, group); }) == 1 &&
         std::any_of(indices.begin(), indices.end(), [&](IndexExpr index) {
           const auto step = ir::stride_of(index, channel), of_group = ir::stride_of(index, group);
           return step && of_group && step->is_constant(1) && ir::prove_equal(*of_group, view.k.back().extent);
         });
}

// Returns whether reads outside of the image, and nothing else, give zero.
bool pads_with_zeros(const Contraction& contraction, const std::vector<size_t>& dimensions) {
  const Expr left = contraction.view->left;
  const auto& shape = contraction.buffer(left).shape;
  for (const ir::Guard& g : left->guards) {
    const bool around_image = std::any_of(dimensions.begin(), dimensions.end(), [&](size_t d) {
      return g.index == left->indices[d] && g.lo.is_constant(0) && ir::prove_equal(g.hi, shape[d]);
    });
    if (!around_image) return false;
  }
  return left->guards.empty() || (left->args[0]->kind == ir::ExprKind::constant && left->args[0]->bits == 0);
}

rt::winograd::Accuracy accuracy_of(const Options& options) {
  using enum rt::winograd::Accuracy;
  return options.fpmath >= FloatMath::relaxed ? relaxed : like_direct;
}

// Times in multiply-adds of vectors.
class WinogradTime {
 public:
  WinogradTime(const ContractionView& view, const Options& options, const Target& target)
      : view_(view),
        accuracy_(accuracy_of(options)),
        target_(target),
        costs_(costs_of(target)),
        lanes_(double(target.lanes)),
        most_prefetched_(target.tuning.panels_ahead_share * double(target.l2_bytes) /
                         double(target.tiles[size_t(rt::TileFormat::f32)].nr * int64_t(sizeof(float)))),
        groups_(view.batch.empty() ? 1 : double(view.batch[0].extent.constant())),
        k_(double(view.k.back().extent.constant())),
        vectors_(std::ceil(double(view.columns[0].extent.constant()) / std::max(lanes_, kNarrowPanel)) *
                 std::max(lanes_, kNarrowPanel) / lanes_) {}

  double of_direct_tiles(rt::winograd::Form form) const {
    const double steps = view_.batch.empty() ? k_ : k_ + costs_.group_tile;
    const auto taps = double(rt::winograd::direct_taps(form));
    const double products = taps * steps * vectors_ * points({1, 1, form.flat}), weights = taps * time_of_weights();
    return taps * k_ <= most_prefetched_ ? together(products, weights) : products + weights;
  }
  double of_patches(rt::winograd::Form form) const {
    const double of_input = form.flat ? costs_.winograd_flat_input : costs_.winograd_input;
    const double of_result = form.flat ? costs_.winograd_flat_result : costs_.winograd_result;
    const double of_patch = form.flat ? costs_.winograd_flat_patch * (1 + vectors_ / 2) : 0;
    const double transforms = of_input * std::ceil(k_ / lanes_) + of_result * vectors_;
    const double of_product = time_of_blocks(form) * k_ * vectors_ + transforms;
    const double time = points(form) * (rt::winograd::products(form) * of_product + of_patch);
    const double weights = rt::winograd::products(form) * time_of_weights();
    // Two blocks of patches at least read the weights, which matters for small images and with stride 2.
    if (form.taps == 5 && !form.flat) return costs_.winograd_five_taps * together(time, 2 * weights);
    return together(time, (form.stride == 2 && !shares_inputs(view_, form, target_) ? 2 : 1) * weights);
  }

 private:
  static constexpr double kNarrowPanel = 16;  // columns that the narrowest tiles compute at once

  const ContractionView& view_;
  const rt::winograd::Accuracy accuracy_;
  const Target& target_;
  const Costs& costs_;
  const double lanes_, most_prefetched_;  // the steps of K of the longest panels that direct tiles prefetch
  const double groups_, k_, vectors_;     // of a group of channels

  // The time of products whose weights arrive meanwhile.
  double together(double products, double weights) const {
    return std::max(products, weights) + costs_.engine_overlap * std::min(products, weights);
  }

  // The time of a multiply-add, where sums are computed in short blocks.
  double time_of_blocks(rt::winograd::Form form) const {
    if (accuracy_ == rt::winograd::Accuracy::relaxed) return 1;
    constexpr int kShortTerms = 16;
    const int terms = block_terms(form, accuracy_, int64_t(k_));
    if (k_ <= terms) return 1;
    if (form.flat && window(form) == 6) return costs_.winograd_flat_sums;
    return 1 + costs_.winograd_short_sums * kShortTerms / terms;
  }
  // The patches of all images and groups, which have `side` results along the directions that have taps.
  double points(rt::winograd::Form form) const {
    constexpr int64_t kUsualImage = 56;  // where the size is not known
    const Directions directions = *directions_of(view_);
    const size_t first = view_.rows.size() - directions.rows.size();
    double count = groups_;
    for (size_t i = 0; i < view_.rows.size(); i++) {
      const IndexExpr extent = view_.rows[i].extent;
      const int64_t size = extent.is_constant() ? extent.constant() : i >= first ? kUsualImage : 1;
      const bool has_taps = i >= first && !directions.taps[i - first].extent.is_constant(1);
      count *= has_taps ? std::ceil(double(size) / form.side) : double(size);
    }
    return count;
  }
  // The time of reading the weights of one tap or product: they come from memory, as those of a network do.
  double time_of_weights() const { return groups_ * k_ * vectors_ * lanes_ * sizeof(float) / costs_.engine_weights; }
};

// Windows of 6 have a larger error than direct sums of few products, and transformed weights take more memory than
// the weights: that of one convolution is bounded, so that large models do not become much larger.
FusionDecision may_replace(const ContractionView& view, const Options& options, rt::winograd::Form form) {
  constexpr int64_t kMostBytes = 64 << 20;
  const int64_t channels = view.k.back().extent.constant();
  if (accuracy_of(options) == rt::winograd::Accuracy::like_direct && !is_like_direct(form, channels))
    return FusionDecision::no(
        fmt::format("its error with {} channels is larger than FPMATH_MODE=f32 allows", channels));
  const int64_t weights = channels * view.columns[0].extent.constant() * int64_t(sizeof(float));
  const int64_t bytes = rt::winograd::products(form) * weights;
  if (bytes > kMostBytes)
    return FusionDecision::no(fmt::format("its transformed weights would take {} MB", bytes >> 20));
  return FusionDecision::yes();
}

Replacement replacement(const Contraction& contraction, const Options& options, const Target& target, int side) {
  const WinogradTime time(*contraction.view, options, target);
  const rt::winograd::Form form = windows_of(*contraction.view, side)->form;
  return {may_replace(*contraction.view, options, form), time.of_patches(form) / time.of_direct_tiles(form)};
}

FusionDecision supports_winograd(const Contraction& contraction, const Options& options, const Target& target,
                                 int side) {
  if (options.fpmath == FloatMath::strict) return FusionDecision::no("FPMATH_MODE is strict");
  if (auto regular = tiles_support(contraction, rt::TileFormat::f32, options, target.tuning); !regular) return regular;
  const ContractionView& v = *contraction.view;
  if (forms_for_taps(v, side).empty())
    return FusionDecision::no(
        fmt::format("it is not a convolution of {} taps along one or both directions", side == 2 ? "3 or 5" : "3"));
  if (!groups_are_neighbours(v)) return FusionDecision::no("its batches are not groups of neighbouring channels");
  const auto windows = windows_of(v, side);
  if (!windows)
    return FusionDecision::no(side == 2 ? "its stride is not 1 (or 2, of 3 x 3 taps), or it has a dilation"
                                        : "its stride or dilation is not 1");
  if (!pads_with_zeros(contraction, windows->dimensions))
    return FusionDecision::no("its padding is not zeros around images");
  const ir::Buffer& weights = contraction.buffer(v.right);
  if (weights.kind != ir::BufferKind::constant || !options.weight_prepack)
    return FusionDecision::no("its weights are not packed when the model is compiled");
  if (!v.columns[0].extent.is_constant() || !v.k.back().extent.is_constant())
    return FusionDecision::no("its channels are known only at run time");
  if (!all_finite(weights)) return FusionDecision::no("a weight is infinite or not a number");
  return FusionDecision::yes();
}

Prepared prepare_winograd(Program& program, Layouts& layouts, LoopNest nest, const Options& options,
                          const Target& target, int side) {
  const ContractionView view = *view_of(nest);
  TileContraction c;
  c.form = "winograd";
  c.format = *choose_format(view, kFormats, target), c.shape = target.tiles[size_t(c.format)];
  c.left = view.left, c.right = view.right, c.batch = view.batch;
  c.rows = view.rows, c.columns = view.columns[0], c.k = view.k.back();
  c.taps.assign(view.k.begin(), view.k.end() - 1);
  c.winograd = windows_of(view, side)->form;
  c.summed_channels = block_terms(c.winograd, accuracy_of(options), c.k.extent.constant());
  Prepared prepared;
  prepared.nest = std::move(nest);
  pack_right_operand(program, layouts, c, options, prepared);
  if (shares_inputs(view, c.winograd, target)) transform_inputs(program, layouts, c, prepared);
  prepared.step = std::move(c);
  return prepared;
}

template <int side>
Engine engine() {
  return {fmt::format("winograd-{0}x{0}", side), fmt::format("WINOGRAD_{0}X{0}", side),
          [](const auto&... arguments) { return supports_winograd(arguments..., side); },
          [](Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
            return prepare_winograd(program, layouts, std::move(nest), options, target, side);
          },
          [](const auto&... arguments) { return replacement(arguments..., side); }};
}

}  // namespace

Engine winograd_2x2_engine() { return engine<2>(); }
Engine winograd_4x4_engine() { return engine<4>(); }

}  // namespace cppgen::schedule
