#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::rt {
namespace {

template <winograd::Form form>
using WeightMatrix = std::array<std::array<double, form.taps>, winograd::window(form)>;

// Row i: a polynomial with the taps as coefficients at point i, divided by the product of the distances between this
// point and the others. Weights are transformed in double precision and rounded once.
template <winograd::Form form>
WeightMatrix<form> weight_matrix() {
  constexpr int kWindow = winograd::window(form);
  std::array<double, kWindow - 1> points{};
  int count = 1;  // the first point is 0
  for (const float p : winograd::Points<kWindow>::kValues) points[size_t(count++)] = p, points[size_t(count++)] = -p;
  WeightMatrix<form> matrix{};
  for (size_t i = 0; i + 1 < size_t(kWindow); i++) {
    double distances = 1;
    for (size_t j = 0; j + 1 < size_t(kWindow); j++)
      if (j != i) distances *= points[i] - points[j];
    double power = 1;
    for (int k = 0; k < form.taps; k++, power *= points[i]) matrix[i][size_t(k)] = power / distances;
  }
  matrix[kWindow - 1][form.taps - 1] = 1;  // at infinity: the leading coefficient
  return matrix;
}

// The even taps at the points 0, 1, infinity, and the odd tap for each result.
template <winograd::Form form>
requires(form.stride == 2) WeightMatrix<form> weight_matrix() {
  static_assert(form.side == 2 && form.taps == 3);
  return {{{1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}}};
}

// Weights are transformed in blocks of so many input and output channels, which stay in the first-level cache: the
// products of a patch are far from each other in the panel, often in the same set of a cache.
constexpr long kK = 8, kColumns = 4;
typedef double Doubles __attribute__((vector_size(kColumns * sizeof(double))));
typedef float Floats __attribute__((vector_size(kColumns * sizeof(float))));

// Transforms the taps of one input channel and kColumns output channels, and stores the products `stride` elements
// apart. Returns where the next one would be.
template <int Taps, class Matrix>
float* transform_line(const Matrix& g, const Doubles (&taps)[Taps], long stride, float* out) {
  for (const auto& column : g) {
    Doubles sum{};
    for (int x = 0; x < Taps; x++) sum += column[size_t(x)] * taps[x];
    const Floats rounded = __builtin_convertvector(sum, Floats);
    std::memcpy(out, &rounded, sizeof rounded);
    out += stride;
  }
  return out;
}

template <int Taps, class Matrix>
void transform_square(const Matrix& g, const Doubles (&taps)[Taps * Taps], long stride, float* out) {
  for (const auto& row : g) {
    Doubles line[Taps]{};
    for (int x = 0; x < Taps; x++)
      for (int y = 0; y < Taps; y++) line[x] += row[size_t(y)] * taps[y * Taps + x];
    out = transform_line<Taps>(g, line, stride, out);
  }
}

template <int Count>
void load_taps(std::span<const PanelSource> sources, long k, long first, long count, Doubles (&values)[Count]) {
  for (int t = 0; t < Count; t++) {
    const PanelSource& tap = sources[size_t(t)];
    const float* const from = static_cast<const float*>(tap.data) + k * tap.k_stride;
    for (long j = 0; j < count; j++) values[t][j] = from[(first + j) * tap.column_stride];
  }
}

// A slice of a panel: `width` columns of each product, which are `stride` elements apart.
template <winograd::Form form>
void pack_slice(std::span<const PanelSource> taps, long first, long width, long stride, float* out) {
  constexpr int kTaps = winograd::direct_taps(form);
  constexpr long kProducts = winograd::products(form);
  static const auto g = weight_matrix<form>();
  const long K = taps[0].k, product = kK * width + kColumns;
  std::vector<float> block(size_t(kProducts * product));
  for (long begin = 0; begin < K; begin += kK) {
    const long end = std::min(K, begin + kK);
    for (long k = begin; k < end; k++)
      for (long j = 0; j < width; j += kColumns) {  // what exceeds the row is overwritten by the next one
        Doubles values[kTaps]{};
        load_taps(taps, k, first + j, std::min({kColumns, width - j, taps[0].columns - first - j}), values);
        float* const to = block.data() + (k - begin) * width + j;
        if constexpr (form.flat)
          transform_line<form.taps>(g, values, product, to);
        else
          transform_square<form.taps>(g, values, product, to);
      }
    for (long p = 0; p < kProducts; p++)
      std::memcpy(out + p * stride + begin * width, block.data() + p * product,
                  size_t((end - begin) * width) * sizeof(float));
  }
}

// Returns the end of what it has written.
template <winograd::Form form>
float* pack_transformed(std::span<const PanelSource> taps, int nr, float* out) {
  const long K = taps[0].k, width = slice_columns(TileFormat::f32, nr), stride = K * nr;
  for (long first = 0; first < taps[0].columns; first += nr, out += winograd::products(form) * stride)
    for (long j = 0; j < nr; j += width) pack_slice<form>(taps, first + j, width, stride, out + j * K);
  return out;
}

template <int... number>
float* pack_form(int form, std::integer_sequence<int, number...>, std::span<const PanelSource> taps, int nr,
                 float* out) {
  constexpr decltype(&pack_transformed<winograd::kForms[0]>) kPack[] = {pack_transformed<winograd::kForms[number]>...};
  return kPack[form](taps, nr, out);
}

}  // namespace

void pack_winograd(winograd::Form form, std::span<const PanelSource> taps, int nr, float* out) {
  const int number = winograd::number_of(form);
  check(number < winograd::kFormCount && int(taps.size()) == winograd::direct_taps(form),
        "winograd: taps or patches of another size");
  float* const end = pack_form(number, std::make_integer_sequence<int, winograd::kFormCount>(), taps, nr, out);
  pack_panels(TileFormat::f32, taps, nr, static_cast<char*>(static_cast<void*>(end)));
}

}  // namespace cppgen::rt
