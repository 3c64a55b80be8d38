#include <array>

#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::rt {
namespace {

// Row i: a polynomial with the taps as coefficients at point i, divided by the product of the distances between this
// point and the others. Weights are transformed in double precision and rounded once.
template <int Taps, int W>
std::array<std::array<double, Taps>, W> weight_matrix() {
  std::array<double, W - 1> points{};
  int count = 1;  // the first point is 0
  for (const float p : winograd::Points<W>::kValues) points[size_t(count++)] = p, points[size_t(count++)] = -p;
  std::array<std::array<double, Taps>, W> matrix{};
  for (size_t i = 0; i + 1 < size_t(W); i++) {
    double distances = 1;
    for (size_t j = 0; j + 1 < size_t(W); j++)
      if (j != i) distances *= points[i] - points[j];
    double power = 1;
    for (int k = 0; k < Taps; k++, power *= points[i]) matrix[i][size_t(k)] = power / distances;
  }
  matrix[W - 1][Taps - 1] = 1;  // at infinity: the leading coefficient
  return matrix;
}

// Transforms the taps of one pair of channels and stores the products `stride` elements apart.
template <size_t Taps, class Matrix>
void transform(const Matrix& g, const std::array<double, Taps * Taps>& taps, long stride, float* out) {
  for (const auto& row : g) {
    std::array<double, Taps> line{};
    for (size_t x = 0; x < Taps; x++)
      for (size_t y = 0; y < Taps; y++) line[x] += row[y] * taps[y * Taps + x];
    for (const auto& column : g) {
      double sum = 0;
      for (size_t x = 0; x < Taps; x++) sum += column[x] * line[x];
      *out = float(sum);
      out += stride;
    }
  }
}

// Returns the end of what it has written.
template <int Side, int Taps>
float* pack_transformed(std::span<const PanelSource> taps, int nr, float* out) {
  constexpr winograd::Form kForm{Side, Taps};
  const auto g = weight_matrix<Taps, winograd::window(kForm)>();
  const long depth = taps[0].depth, columns = taps[0].columns, width = slice_columns(TileFormat::f32, nr);
  for (long first = 0; first < columns; first += nr, out += winograd::products(kForm) * depth * nr)
    for (long k = 0; k < depth; k++)
      for (long j = 0; j < nr; j++) {
        std::array<double, winograd::direct_taps(kForm)> values{};
        if (first + j < columns)
          for (size_t t = 0; t < values.size(); t++)
            values[t] =
                static_cast<const float*>(taps[t].data)[k * taps[t].depth_stride + (first + j) * taps[t].column_stride];
        transform<Taps>(g, values, depth * nr, out + (j / width * depth + k) * width + j % width);
      }
  return out;
}

}  // namespace

void pack_winograd(winograd::Form form, std::span<const PanelSource> taps, int nr, float* out) {
  constexpr decltype(&pack_transformed<2, 3>) kPack[] = {pack_transformed<2, 3>, pack_transformed<4, 3>,
                                                         pack_transformed<2, 5>};
  const int number = winograd::number_of(form);
  check(number < winograd::kFormCount && int(taps.size()) == winograd::direct_taps(form),
        "winograd: taps or patches of another size");
  float* const end = kPack[number](taps, nr, out);
  pack_panels(TileFormat::f32, taps, nr, static_cast<char*>(static_cast<void*>(end)));
}

}  // namespace cppgen::rt
