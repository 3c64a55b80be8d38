#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

inline constexpr int64_t kMaxTransform = int64_t(1) << 24;  // samples

// A discrete Fourier transform of `length` samples, of which `bins` frequencies are kept. A sample is a pair of real
// and imaginary part; the result has them as its last dimension.
struct Transform {
  IndexExpr length, bins;
  bool inverse, complex;  // complex: samples have an imaginary part
};

IndexExpr bins_of(IndexExpr length, bool one_sided);
bool is_complex(InferContext&, int input);                        // by its last dimension, which must be 1 or 2
int64_t one_integer(InferContext&, int input, const char* what);  // a constant
IndexExpr checked_length(InferContext&, IndexExpr);  // fails unless it is at least 1 and can be transformed
std::vector<Scalar> allowed_length(Scalar);          // conditions on a length that is known only at run time

struct Complex {
  Scalar re, im;
};
// output[at.., 0|1], or of its real part alone = sum over n of sample(at, n) x exp(-+ 2 pi i bin(at) n / length)
void emit_transform(LowerContext&, const Transform&, size_t bin_dimension, DType,
                    const std::function<Complex(const std::vector<IndexExpr>& at, IndexExpr n)>& sample);

}  // namespace cppgen::ops
