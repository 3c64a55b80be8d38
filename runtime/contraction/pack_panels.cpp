#include <algorithm>
#include <cstring>

#include "runtime/contraction/tile.h"

namespace cppgen::rt {
namespace {

// Rows of B are contiguous: whole rows of a panel are copied.
void pack_rows(const float* b, long k, long columns, long k_stride, int nr, float* out) {
  for (long kk = 0; kk < k; kk++, b += k_stride, out += nr) {
    std::memcpy(out, b, size_t(columns) * sizeof(float));
    std::fill(out + columns, out + nr, 0.0f);
  }
}

// Any strides. Blocks of kBlock steps of k keep both the columns that are read and the rows that are written in L1.
void pack_strided(const float* b, long k, long columns, long k_stride, long n_stride, int nr, float* out) {
  constexpr long kBlock = 16;
  for (long begin = 0; begin < k; begin += kBlock) {
    const long end = std::min(k, begin + kBlock);
    for (long j = 0; j < columns; j++) {
      const float* column = b + j * n_stride;
      for (long kk = begin; kk < end; kk++) out[kk * nr + j] = column[kk * k_stride];
    }
    for (long kk = begin; kk < end; kk++) std::fill(out + kk * nr + columns, out + (kk + 1) * nr, 0.0f);
  }
}

}  // namespace

long packed_floats(long k, long n, int nr) { return (n + nr - 1) / nr * nr * k; }

void pack_panels(const float* b, long k, long n, long k_stride, long n_stride, int nr, float* out) {
  for (long j = 0; j < n; j += nr, b += nr * n_stride, out += nr * k) {
    const long columns = std::min<long>(nr, n - j);
    if (n_stride == 1)
      pack_rows(b, k, columns, k_stride, nr, out);
    else
      pack_strided(b, k, columns, k_stride, n_stride, nr, out);
  }
}

}  // namespace cppgen::rt
