#include "cppgen/schedule/engine_conditions.h"

#include <fmt/format.h>

#include "cppgen/schedule/tiles.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

// Tiles of 16 rows cost the same for any number of them; below these, fused multiply-adds are as fast, and their panels
// of a half to two thirds of the size matter more than arithmetic. By parts.
constexpr int64_t kLeastRows[] = {0, 1, 4, 8};
constexpr double kMostGrowth = 1.6;  // of packed weights over float32

FusionDecision asks_for(const Options& options, FloatMath math) {
  if (options.fpmath == math) return FusionDecision::yes();
  return FusionDecision::no(fmt::format("FPMATH_MODE is {}", name_of(options.fpmath)));
}

bool constant_points(const std::vector<ir::Loop>& loops) {
  for (const auto& l : loops)
    if (!l.extent.is_constant()) return false;
  return true;
}

// Of the packed weights over those in float32.
double growth(const ContractionView& view, rt::TileFormat format, int width) {
  int64_t depth = 1;
  for (const auto& l : view.depth) depth *= l.extent.constant();
  const int64_t columns = view.columns[0].extent.constant(), panels = (columns + width - 1) / width;
  return double(panels * rt::panel_elements(format, 1, depth, width)) / double(columns * depth * 4);
}

FusionDecision packs_well(const Program& program, const LoopNest& nest, rt::TileFormat format, const Options& options,
                          const Target& target) {
  const auto view = view_of(nest);
  const int width = target.tiles[size_t(format)].nr;
  if (width == 0) return FusionDecision::no("no such tiles for " + target.isa);
  if (!view || view->columns.size() != 1) return FusionDecision::no("columns are not one loop");
  if (program.buffer(view->right->buffer).kind != ir::BufferKind::constant)
    return FusionDecision::no("the right operand is no constant");
  if (!options.weight_prepack) return FusionDecision::no("WEIGHT_PREPACK is 0");
  if (!constant_points(view->depth) || !constant_points(view->columns))
    return FusionDecision::no("the right operand's size is not known");
  if (points(view->depth).is_constant(0) || points(view->columns).is_constant(0)) return FusionDecision::no("empty");
  const IndexExpr rows = points(view->rows);
  const int64_t least = kLeastRows[info(format).parts];
  if (rows.is_constant() && rows.constant() < least)
    return FusionDecision::no(fmt::format("fewer than {} rows", least));
  if (const double times = growth(*view, format, width); times > kMostGrowth)
    return FusionDecision::no(fmt::format("packed weights would take {:.1f} times those in float32", times));
  return FusionDecision::yes();
}

FusionDecision splits(const Program& program, const LoopNest& nest, rt::TileFormat format, FloatMath math,
                      const Options& options, const Target& target) {
  if (auto asked = asks_for(options, math); !asked) return asked;
  return packs_well(program, nest, format, options, target);
}

FusionDecision pairs_are_fast(const Target& target) {
  if (target.bf16_dot_speed > 1) return FusionDecision::yes();
  return FusionDecision::no("this CPU multiplies pairs of bfloat16 no faster than float32");
}

}  // namespace

FusionDecision splits_into_one(const Program& program, const LoopNest& nest, const Options& options,
                               const Target& target) {
  return splits(program, nest, rt::TileFormat::split1, FloatMath::bf16, options, target);
}
FusionDecision splits_into_two(const Program& program, const LoopNest& nest, const Options& options,
                               const Target& target) {
  return splits(program, nest, rt::TileFormat::split2, FloatMath::bf16x3, options, target);
}
FusionDecision splits_into_three(const Program& program, const LoopNest& nest, const Options& options,
                                 const Target& target) {
  return splits(program, nest, rt::TileFormat::split3, FloatMath::f32, options, target);
}

FusionDecision multiplies_bf16_tiles(const Program& program, const LoopNest& nest, const Options& options,
                                     const Target& target) {
  if (options.fpmath == FloatMath::strict) return asks_for(options, FloatMath::f32);
  return packs_well(program, nest, rt::TileFormat::split_bf16, options, target);
}

FusionDecision rounds_to_bf16(const Program&, const LoopNest&, const Options& options, const Target& target) {
  if (auto asked = asks_for(options, FloatMath::bf16); !asked) return asked;
  return pairs_are_fast(target);
}

FusionDecision multiplies_bf16_pairs(const Program&, const LoopNest&, const Options& options, const Target& target) {
  if (options.fpmath == FloatMath::strict) return asks_for(options, FloatMath::f32);
  return pairs_are_fast(target);
}

}  // namespace cppgen::schedule
