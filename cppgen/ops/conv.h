#pragma once
#include <string>

#include "cppgen/ops/window.h"

namespace cppgen::ops {

// A convolution of x [N, C, spatial..] with w [M, C / groups, taps..].
struct ConvShape {
  Window window;
  int64_t groups;
  IndexExpr batch, in_channels, out_channels;  // of each group
  Shape output;                                // [N, M, spatial..]
};
ConvShape conv_shape(InferContext&, const Shape& x, const Shape& w);

// out = x convolved with w in the accumulation type: a contraction, or plain loops if depthwise.
void emit_conv(LowerContext&, const ConvShape&, ir::BufferId x, ir::BufferId w, ir::BufferId out, DType accumulate,
               const std::string& name);

}  // namespace cppgen::ops
