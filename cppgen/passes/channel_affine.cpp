#include "cppgen/passes/channel_affine.h"

#include <algorithm>
#include <cmath>

#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

double at(const std::vector<double>& v, size_t channel) { return v[v.size() == 1 ? 0 : channel]; }

// Channels of x if the step may apply to it, else 0.
int64_t channels_of(const Graph& graph, ValueId x) {
  if (x == kNoValue || !graph.value(x).type || graph.value(x).constant) return 0;
  const TensorType& type = *graph.value(x).type;
  if (type.dtype != DType::f32 && type.dtype != DType::f64) return 0;
  if (type.shape.size() < 2 || !type.shape[1].is_constant()) return 0;
  return type.shape[1].constant();
}

// A constant operand as one number per channel, or one for all; nullopt if it varies along another dimension or makes
// the result larger than x.
std::optional<std::vector<double>> per_channel(const Tensor& t, size_t rank, int64_t channels) {
  if (t.dims.size() > rank) return std::nullopt;
  for (size_t i = 0; i < t.dims.size(); i++) {
    size_t axis = rank - t.dims.size() + i;
    if (t.dims[i] != 1 && !(axis == 1 && t.dims[i] == channels)) return std::nullopt;
  }
  return numbers_of(t);
}

std::optional<AffineStep> batch_normalization(const Graph& graph, const Node& node) {
  bool training = integer_attribute(node, "training_mode", 0) != 0 || integer_attribute(node, "spatial", 1) != 1;
  bool plain_outputs =
      std::all_of(node.outputs.begin() + 1, node.outputs.end(), [](ValueId v) { return v == kNoValue; });
  if (node.opset < kBroadcastingOpset || training || !plain_outputs || node.inputs.size() != 5) return std::nullopt;
  int64_t channels = channels_of(graph, node.inputs[0]);
  std::vector<std::vector<double>> params;
  for (size_t i = 1; i <= 4; i++) {
    const Tensor* t = constant_input(graph, node, i);
    if (!t || !is_float(t->dtype) || t->dims != std::vector<int64_t>{channels}) return std::nullopt;
    params.push_back(numbers_of(*t));
  }
  const double epsilon = double(float_attribute(node, "epsilon", 1e-5f));
  const auto &scale = params[0], &bias = params[1], &mean = params[2], &variance = params[3];
  ChannelAffine affine{std::vector<double>(size_t(channels)), std::vector<double>(size_t(channels))};
  for (size_t c = 0; c < size_t(channels); c++) {
    affine.scale[c] = scale[c] / std::sqrt(variance[c] + epsilon);
    affine.shift[c] = bias[c] - mean[c] * affine.scale[c];
  }
  return AffineStep{node.inputs[0], affine};
}

std::optional<AffineStep> arithmetic(const Graph& graph, const Node& node) {
  if (node.opset < kBroadcastingOpset || node.inputs.size() != 2) return std::nullopt;
  size_t side = constant_input(graph, node, 1) ? 1 : 0;
  const Tensor* operand = constant_input(graph, node, side);
  ValueId x = node.inputs[1 - side];
  int64_t channels = channels_of(graph, x);
  if (!operand || channels == 0 || operand->dtype != graph.value(x).type->dtype) return std::nullopt;
  auto values = per_channel(*operand, graph.value(x).type->shape.size(), channels);
  if (!values) return std::nullopt;
  ChannelAffine affine;
  if (node.op == "Add") {
    affine.shift = *values;
  } else if (node.op == "Mul") {
    affine.scale = *values;
  } else if (node.op == "Sub") {
    if (side == 0) affine.scale = {-1.0};
    if (side == 1) std::transform(values->begin(), values->end(), values->begin(), std::negate<>());
    affine.shift = *values;
  } else if (node.op == "Div" && side == 1) {
    std::transform(values->begin(), values->end(), values->begin(), [](double v) { return 1 / v; });
    affine.scale = *values;
  } else {
    return std::nullopt;
  }
  return AffineStep{x, affine};
}

}  // namespace

ChannelAffine ChannelAffine::then(const ChannelAffine& next) const {
  size_t n = std::max({scale.size(), shift.size(), next.scale.size(), next.shift.size()});
  ChannelAffine both{std::vector<double>(n), std::vector<double>(n)};
  for (size_t c = 0; c < n; c++) {
    both.scale[c] = at(next.scale, c) * at(scale, c);
    both.shift[c] = at(next.scale, c) * at(shift, c) + at(next.shift, c);
  }
  return both;
}

bool ChannelAffine::is_finite() const {
  auto finite = [](double v) { return std::isfinite(v); };
  return std::all_of(scale.begin(), scale.end(), finite) && std::all_of(shift.begin(), shift.end(), finite);
}

std::optional<AffineStep> as_affine_step(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.outputs.empty() || node.outputs[0] == kNoValue) return std::nullopt;
  if (node.op == "BatchNormalization") return batch_normalization(graph, node);
  return arithmetic(graph, node);
}

}  // namespace cppgen::passes
