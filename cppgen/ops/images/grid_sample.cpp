#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

// x [N, C, spatial..] is read at the places that grid [N, out.., axes] gives in [-1, 1], the last axis first.

enum class Interpolation : uint8_t { linear, nearest, cubic };
enum class GridPadding : uint8_t { zeros, border, reflection };

struct GridMode {
  Interpolation mode;
  GridPadding padding;
  bool align_corners;
};

// Up to version 19 two modes had other names.
GridMode grid_mode(InferContext& c) {
  using enum Interpolation;
  using enum GridPadding;
  return {choice<Interpolation>(
              c, "mode", "linear",
              {{"linear", linear}, {"nearest", nearest}, {"cubic", cubic}, {"bilinear", linear}, {"bicubic", cubic}}),
          choice<GridPadding>(c, "padding_mode", "zeros",
                              {{"zeros", zeros}, {"border", border}, {"reflection", reflection}}),
          c.integer("align_corners", 0) != 0};
}

void infer_grid_sample(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_dtype(c, 1, kFloats);
  require_rank(c, 0, 4, c.opset() < 20 ? 4 : 5);
  require_rank(c, 1, int(c.shape(0).size()), int(c.shape(0).size()));
  grid_mode(c);
  const Shape& x = c.shape(0);
  const Shape& grid = c.shape(1);
  require_equal(c, x[0], grid[0], "batches of input and grid");
  require_equal(c, grid.back(), int64_t(x.size()) - 2, "coordinates and the axes of the input");
  Shape to = {x[0], x[1]};
  for (size_t d = 2; d < x.size(); ++d) {
    require_at_most(c, 1, x[d], "the input has no elements to sample");
    to.push_back(grid[d - 1]);
  }
  c.set_output(0, c.dtype(0), to);
}

// One axis of the input: taps at whole positions and their weights.
struct SampledAxis {
  LowerContext& c;
  const GridMode& mode;
  IndexExpr extent;
  DType type;
  Scalar coordinate;

  Scalar size() const { return index_value(c, extent, type); }
  Scalar least() const { return number(c, type, mode.align_corners ? 0 : -0.5); }
  Scalar greatest() const { return size() - (mode.align_corners ? 1.0 : 0.5); }

  // Mirrors at both borders as often as needed.
  Scalar reflected(Scalar x) const {
    Scalar range = greatest() - least(), offset = abs(x - least());
    Scalar phase = offset.binary(ir::BinaryOp::mod_trunc, 2.0 * range);
    Scalar folded = least() + select(phase > range, 2.0 * range - phase, phase);
    return select(range == 0.0, least(), folded);
  }

  Scalar padded(Scalar x) const {
    if (mode.padding == GridPadding::border) return max(min(x, size() - 1.0), 0.0);
    if (mode.padding == GridPadding::reflection) return select(x < least() || x > greatest(), reflected(x), x);
    return x;
  }

  // Maps [-1, 1] to positions.
  Scalar denormalized() const {
    if (mode.align_corners) return (coordinate + 1.0) / 2.0 * (size() - 1.0);
    return ((coordinate + 1.0) * size() - 1.0) / 2.0;
  }
};

struct Tap {
  Scalar position, inside, weight;
};

// Keys' kernel with a = -0.75.
Scalar cubic_weight(Scalar distance) {
  Scalar x = abs(distance);
  Scalar near = (1.25 * x - 2.25) * x * x + 1.0, far = ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0;
  return select(x <= 1.0, near, select(x < 2.0, far, x.number(0)));
}

std::vector<Tap> taps_of(const SampledAxis& a) {
  Scalar x = a.denormalized();
  const bool nearest = a.mode.mode == Interpolation::nearest, cubic = a.mode.mode == Interpolation::cubic;
  if (nearest) x = round(x);
  // Only the cubic kernel looks beyond the border before its taps are folded back. A coordinate that is so far outside
  // that all taps are there is moved closer, also an infinite one.
  if (!cubic) {
    x = a.padded(x);
  } else if (a.mode.padding != GridPadding::reflection) {
    x = max(min(x, a.size() + 2.0), -3.0);
  }
  // Far outside, neighbouring positions may be the same float, so distances are those to the base.
  const Scalar base = nearest ? round(x) : floor(x), fraction = x - base;
  int first = cubic ? -1 : 0, count = nearest ? 1 : cubic ? 4 : 2;
  std::vector<Tap> taps;
  for (int t = 0; t < count; ++t) {
    Scalar position = base + double(first + t), distance = double(first + t) - fraction;
    Scalar weight = nearest ? x.number(1) : cubic ? cubic_weight(distance) : 1.0 - abs(distance);
    Scalar moved = a.padded(position);
    // Far outside, reflection gives halves of positions.
    if (a.mode.padding == GridPadding::reflection) moved = max(min(moved, a.size() - 1.0), 0.0);
    Scalar inside = moved >= 0.0 && moved <= a.size() - 1.0;
    taps.push_back({max(min(moved, a.size() - 1.0), 0.0).cast(DType::i64), inside, weight});
  }
  return taps;
}

// The taps of all axes: one of each.
Scalar sum_over_taps(LowerContext& c, const At& at, const std::vector<std::vector<Tap>>& axes, DType type) {
  Scalar sum = number(c, type, 0);
  std::vector<size_t> chosen(axes.size(), 0);
  while (true) {
    std::vector<Gathered> gathered;
    At from = {at[0], at[1]};
    Scalar inside = number(c, DType::boolean, 1);
    for (size_t d = 0; d < axes.size(); ++d) {
      gathered.push_back({int(d) + 2, axes[d][chosen[d]].position});
      inside = inside && axes[d][chosen[d]].inside;
      from.push_back(0);
    }
    Scalar value = load_gathered(c, c.input_buffer(0), from, gathered);
    for (size_t d = 0; d < axes.size(); ++d) value = value * axes[d][chosen[d]].weight;
    sum = sum + select(inside, value, number(c, type, 0));
    size_t d = axes.size();
    while (d > 0 && ++chosen[d - 1] == axes[d - 1].size()) chosen[--d] = 0;
    if (d == 0) return sum;
  }
}

void lower_grid_sample(LowerContext& c) {
  GridMode mode = grid_mode(c);
  DType type = ir::value_type(c.dtype(0));
  const Shape& x = c.shape(0);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    std::vector<std::vector<Tap>> axes;
    for (size_t d = 2; d < x.size(); ++d) {
      At place = {at[0]};
      place.insert(place.end(), at.begin() + 2, at.end());
      place.push_back(int64_t(x.size() - 1 - d));
      axes.push_back(taps_of({c, mode, x[d], type, load_input(c, 1, place).cast(type)}));
    }
    return sum_over_taps(c, at, axes, type);
  });
}

}  // namespace

std::vector<Op> sample_ops() {
  return {
      {.name = "GridSample",
       .versions = {{16, "align_corners:int mode:string padding_mode:string"}, 20, 22},
       .inputs = 2,
       .infer = infer_grid_sample,
       .lower = lower_grid_sample},
      {.name = "GridSample",
       .domain = "com.microsoft",
       .versions = {{1, "align_corners:int mode:string padding_mode:string"}},
       .inputs = 2,
       .infer = infer_grid_sample,
       .lower = lower_grid_sample},
  };
}

}  // namespace cppgen::ops
