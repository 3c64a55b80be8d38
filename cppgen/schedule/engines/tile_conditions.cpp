#include "cppgen/schedule/engines/tile_conditions.h"

#include <fmt/format.h>

#include <cmath>

#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/kernel.h"
#include "runtime/contraction/split_layout.h"

namespace cppgen::schedule {
namespace {

// The limits from which matrix tiles are faster. Tiles of 16 rows cost the same for any number of rows: below these
// limits vector units are as fast, or the size of the panels matters more than arithmetic (three parts take 1.5 times
// the bytes of float32). With enough rows, panels are read from the cache, and only their padding matters, which the
// much faster arithmetic can afford.
struct TileLimits {
  int64_t least_rows;
  double most_padding;  // ratio of padded to real elements
};
TileLimits limits_of(rt::TileFormat format, const Tuning& t) {
  switch (info(format).parts) {
    case 1:
      return {t.matrix_rows_one_part, t.matrix_padding_one_part};
    case 2:
      return {t.matrix_rows_two_parts, t.matrix_padding_two_parts};
    case 3:
      return {t.matrix_rows_three_parts, t.matrix_padding_three_parts};
    default:
      return {t.matrix_rows_bytes, t.matrix_padding_bytes};
  }
}

FusionDecision asks_for(const Options& options, FloatMath math) {
  if (options.fpmath == math) return FusionDecision::yes();
  return FusionDecision::no(fmt::format("FPMATH_MODE is {}", name_of(options.fpmath)));
}

bool are_constant(const std::vector<ir::Loop>& loops) {
  for (const auto& l : loops)
    if (!l.extent.is_constant()) return false;
  return true;
}

// The ratio of the bytes of packed weights to those of the model's weights.
double growth(const ContractionView& view, rt::TileFormat format, int width) {
  int64_t K = 1;
  for (const auto& l : view.k) K *= l.extent.constant();
  const int64_t columns = view.columns[0].extent.constant(), panels = pieces(columns, width);
  const double own = double(columns * K) * double(size_of(info(format).right));
  return double(panels * rt::panel_elements(format, 1, K, width)) / own;
}

FusionDecision worth_padding(const ContractionView& view, rt::TileFormat format, int width, const Tuning& tuning) {
  const IndexExpr rows = points(view.rows);
  const TileLimits limits = limits_of(format, tuning);
  if (rows.is_constant() && rows.constant() < limits.least_rows)
    return FusionDecision::no(fmt::format("there are fewer than {} rows", limits.least_rows));
  const double times = growth(view, format, width);
  const auto& row = info(format);
  const double natural =
      row.parts ? double(size_of(DType::bf16)) * row.parts / double(size_of(row.right)) : 1;  // a part is bfloat16
  const bool many = !rows.is_constant() || rows.constant() >= tuning.many_rows;
  if (times / natural > limits.most_padding || (!many && times > tuning.growth_for_few_rows))
    return FusionDecision::no(
        fmt::format("packed weights would take {:.1f} times the memory of the model's weights", times));
  return FusionDecision::yes();
}

FusionDecision packs_well(const Contraction& contraction, rt::TileFormat format, const Options& options,
                          const Target& target) {
  const auto& view = contraction.view;
  const int width = target.tiles[size_t(format)].nr;
  if (width == 0) return FusionDecision::no("there are no such tiles for " + target.isa);
  if (!view || view->columns.size() != 1) return FusionDecision::no("the columns are not a single loop");
  if (contraction.buffer(view->right).kind != ir::BufferKind::constant)
    return FusionDecision::no("the right operand is not constant");
  if (!options.weight_prepack) return FusionDecision::no("WEIGHT_PREPACK is 0");
  if (!are_constant(view->k) || !are_constant(view->columns))
    return FusionDecision::no("the right operand's size is not constant");
  if (points(view->k).is_constant(0) || points(view->columns).is_constant(0))
    return FusionDecision::no("the right operand is empty");
  return worth_padding(*view, format, width, target.tuning);
}

FusionDecision splits(const Contraction& contraction, rt::TileFormat format, FloatMath math, const Options& options,
                      const Target& target) {
  if (auto asked = asks_for(options, math); !asked) return asked;
  return packs_well(contraction, format, options, target);
}

FusionDecision pairs_are_fast(const Target& target) {
  if (target.bf16_dot_speed > 1) return FusionDecision::yes();
  return FusionDecision::no("this CPU multiplies pairs of bfloat16 no faster than float32");
}

}  // namespace

FusionDecision splits_into_one(const Contraction& contraction, const Options& options, const Target& target) {
  return splits(contraction, rt::TileFormat::split1, FloatMath::bf16, options, target);
}
FusionDecision splits_into_two(const Contraction& contraction, const Options& options, const Target& target) {
  return splits(contraction, rt::TileFormat::split2, FloatMath::bf16x3, options, target);
}
FusionDecision splits_into_three(const Contraction& contraction, const Options& options, const Target& target) {
  const FloatMath math = options.fpmath == FloatMath::relaxed ? FloatMath::relaxed : FloatMath::f32;
  return splits(contraction, rt::TileFormat::split3, math, options, target);
}

Replacement three_parts_replace(const Contraction& contraction, const Options&, const Target& target) {
  const Costs& costs = costs_of(target);
  const ContractionView& view = *contraction.view;
  const double K = double(points(view.k).constant()), columns = double(view.columns[0].extent.constant());
  double rows = 1;
  for (const auto& l : view.rows)
    rows *= double(l.extent.is_constant() ? l.extent.constant() : target.tuning.unknown_dimension);
  const double side = rt::split::kBlockSide, lanes = double(target.lanes);
  const double padded_rows = std::ceil(rows / side) * side,
               padded_k = std::ceil(K / rt::split::kStepK) * rt::split::kStepK;
  const double panels = std::ceil(columns / side), sharing = std::min(panels, double(target.tuning.prepared_panels));
  const double products = padded_rows * (padded_k + costs.split_start) * costs.split_products;
  const double time =
      products * (panels + costs.split_rows * panels / sharing) + costs.split_weights * padded_k * panels;
  const double direct = rows * K * std::ceil(columns / lanes) * lanes;
  return {FusionDecision::yes(), side * time / direct};
}

FusionDecision multiplies_bf16_tiles(const Contraction& contraction, const Options& options, const Target& target) {
  if (options.fpmath == FloatMath::strict) return asks_for(options, FloatMath::f32);
  return packs_well(contraction, rt::TileFormat::split_bf16, options, target);
}

FusionDecision multiplies_bytes_on_tiles(const Contraction& contraction, const Options& options, const Target& target) {
  return packs_well(contraction, rt::TileFormat::u8s8_block, options, target);
}

FusionDecision rounds_to_bf16(const Contraction&, const Options& options, const Target& target) {
  if (auto asked = asks_for(options, FloatMath::bf16); !asked) return asked;
  return pairs_are_fast(target);
}

FusionDecision multiplies_bf16_pairs(const Contraction&, const Options& options, const Target& target) {
  if (options.fpmath == FloatMath::strict) return asks_for(options, FloatMath::f32);
  return pairs_are_fast(target);
}

}  // namespace cppgen::schedule
