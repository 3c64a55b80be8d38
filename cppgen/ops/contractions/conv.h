#pragma once
#include <optional>
#include <string>

#include "cppgen/ops/common.h"
#include "cppgen/ops/windows/window.h"

namespace cppgen::ops {

// A convolution of x [N, C, spatial..] with w [M, C / groups, taps..].
struct ConvShape {
  Window window;
  int64_t groups;
  IndexExpr batch, in_channels, out_channels;  // of each group
  Shape output;                                // [N, M, spatial..]
};
ConvShape conv_shape(InferContext&, const Shape& x, const Shape& w);

// Appends loops to those of the nest, with their role, and returns their variables.
std::vector<IndexExpr> add_loops(LowerContext&, ir::LoopNest&, std::vector<ir::Loop>& to, const Shape& extents,
                                 ir::AxisRole, const std::string& prefix);

struct ConvBuffers {
  ir::BufferId x, w, out;
  DType accumulate;
  std::optional<Scalar> padding{};  // the value outside x; 0 if absent
};
// out = x convolved with w in the accumulation type: a contraction, or plain loops if depthwise.
void emit_conv(LowerContext&, const ConvShape&, const ConvBuffers&, const std::string& name);

// Conv's types and shapes, and its value: finish(convolution + bias, index).
void infer_conv(InferContext&);
using FinishConv = std::function<Scalar(Scalar, const std::vector<IndexExpr>& at)>;
void emit_biased_conv(LowerContext&, const FinishConv& finish = nullptr);

}  // namespace cppgen::ops
