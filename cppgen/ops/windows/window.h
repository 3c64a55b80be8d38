#pragma once
#include <vector>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

// One spatial dimension of a convolution or pooling: output position o and tap k see the input position
// o * stride + k * dilation - pad_begin.
struct WindowAxis {
  IndexExpr input, kernel;
  int64_t stride = 1, dilation = 1;
  IndexExpr pad_begin, pad_end;
  IndexExpr output;

  IndexExpr position(IndexExpr o, IndexExpr k) const {
    return o * IndexExpr(stride) + k * IndexExpr(dilation) - pad_begin;
  }
};
using Window = std::vector<WindowAxis>;

// Reads the attributes strides, dilations, pads and auto_pad. With `ceil_mode` the last window may extend past the end
// if it starts inside the input or its left padding.
Window window_of(InferContext&, const Shape& spatial_input, const Shape& kernel, bool ceil_mode);

inline void append(std::vector<IndexExpr>& to, const std::vector<IndexExpr>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Shape output_extents(const Window&);
Shape kernel_extents(const Window&);

// An attribute with one integer per spatial dimension, each at least `least`; `otherwise` for all if it is absent.
std::vector<int64_t> per_axis(InferContext&, const std::string& name, size_t axes, int64_t otherwise, int64_t least);
enum class AutoPad : uint8_t { notset, valid, same_upper, same_lower };
AutoPad auto_pad_of(InferContext&);

}  // namespace cppgen::ops
