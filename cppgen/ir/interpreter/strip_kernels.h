#pragma once
#include <cstddef>
#include <cstdint>

#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

// Typed loops over strips: arrays of up to kStripLength values of one value type. Used by the interpreter only.
inline constexpr int kStripLength = 512;
inline constexpr size_t kStripBytes = kStripLength * sizeof(int64_t);

// dst[i] = f(args[0][i], args[1][i], ...) for i < n. dst overlaps no argument.
using Elementwise = void (*)(void* dst, const void* const* args, int n);

Elementwise unary_kernel(UnaryOp, DType operand);
Elementwise binary_kernel(BinaryOp, DType operands);
Elementwise select_kernel(DType);
Elementwise cast_kernel(DType to, DType from);

// dst[i] = dst[0]
void broadcast_first(void* dst, size_t element_size, int n);

// Convert between storage and values of value_type(storage). Strides and offsets count elements. If a mask is 0,
// nothing is read and dst is unchanged.
struct StorageKernels {
  void (*load)(void* dst, const void* src, int64_t stride, int n);
  void (*gather)(void* dst, const void* src, const int64_t* offsets, const uint8_t* mask, int n);  // mask may be null
  void (*store)(void* dst, int64_t stride, const void* src, int n);
  void (*scatter)(void* dst, const int64_t* offsets, const void* src, int n);
};
const StorageKernels& storage_kernels(DType storage);

// A reduction's running state, one per lane. `across` combines args[i] into state[i], `along` all of them, in order,
// into state[0]. The arguments are the values and, for argmin and argmax, int64 positions.
struct ReduceKernels {
  size_t state_size;
  void (*init)(void* state, int n);
  void (*across)(void* state, const void* const* args, int n);
  void (*along)(void* state, const void* const* args, int n);
  void (*finish)(void* dst, const void* state, int n);  // to values of the reduction's type
};
ReduceKernels reduce_kernels(ReduceOp, DType value, bool select_last);
// Sum of products of two float32 arguments, each product rounded to float32.
ReduceKernels sum_of_products_kernels();

}  // namespace cppgen::ir
