#include <array>

#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::rt {
namespace {

constexpr int kTaps = 3;  // in each direction

// Row i: a polynomial with the taps as coefficients at point i, divided by the product of the distances between this
// point and the others. Weights are transformed in double precision and rounded once.
template <int Side>
std::array<std::array<double, kTaps>, winograd::window(Side)> weight_matrix() {
  constexpr int W = winograd::window(Side);
  std::array<double, W - 1> points{};
  int count = 1;  // the first point is 0
  for (const float p : winograd::Points<Side>::kValues) points[size_t(count++)] = p, points[size_t(count++)] = -p;
  std::array<std::array<double, kTaps>, W> matrix{};
  for (size_t i = 0; i + 1 < size_t(W); i++) {
    double distances = 1;
    for (size_t j = 0; j + 1 < size_t(W); j++)
      if (j != i) distances *= points[i] - points[j];
    double power = 1;
    for (int k = 0; k < kTaps; k++, power *= points[i]) matrix[i][size_t(k)] = power / distances;
  }
  matrix[W - 1][kTaps - 1] = 1;  // at infinity: the leading coefficient
  return matrix;
}

// Transforms the taps of one pair of channels and stores the products `stride` elements apart.
template <int Side, class Matrix>
void transform(const Matrix& g, const std::array<double, kTaps * kTaps>& taps, long stride, float* out) {
  for (const auto& row : g) {
    std::array<double, kTaps> line{};
    for (size_t x = 0; x < kTaps; x++)
      for (size_t y = 0; y < kTaps; y++) line[x] += row[y] * taps[y * kTaps + x];
    for (const auto& column : g) {
      *out = float(column[0] * line[0] + column[1] * line[1] + column[2] * line[2]);
      out += stride;
    }
  }
}

// Returns the end of what it has written.
template <int Side>
float* pack_transformed(std::span<const PanelSource> taps, int nr, float* out) {
  const auto g = weight_matrix<Side>();
  const long depth = taps[0].depth, columns = taps[0].columns, width = slice_columns(TileFormat::f32, nr);
  for (long first = 0; first < columns; first += nr, out += winograd::products(Side) * depth * nr)
    for (long k = 0; k < depth; k++)
      for (long j = 0; j < nr; j++) {
        std::array<double, kTaps * kTaps> values{};
        if (first + j < columns)
          for (size_t t = 0; t < values.size(); t++)
            values[t] =
                static_cast<const float*>(taps[t].data)[k * taps[t].depth_stride + (first + j) * taps[t].column_stride];
        transform<Side>(g, values, depth * nr, out + (j / width * depth + k) * width + j % width);
      }
  return out;
}

}  // namespace

void pack_winograd(int side, std::span<const PanelSource> taps, int nr, float* out) {
  check(taps.size() == kTaps * kTaps && (side == 2 || side == 4), "winograd: taps or patches of another size");
  float* const end = side == 2 ? pack_transformed<2>(taps, nr, out) : pack_transformed<4>(taps, nr, out);
  pack_panels(TileFormat::f32, taps, nr, static_cast<char*>(static_cast<void*>(end)));
}

}  // namespace cppgen::rt
