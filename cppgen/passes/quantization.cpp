#include "cppgen/passes/quantization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kMostK = (int64_t{1} << 31) / (255 * 255);
constexpr double kLeastScale = 0x1p-100, kGreatestScale = 0x1p100;  // far from where float32 products lose bits

bool usable(const std::vector<double>& scales) {
  return !scales.empty() &&
         std::all_of(scales.begin(), scales.end(), [](double s) { return s >= kLeastScale && s <= kGreatestScale; });
}

bool is_quantized_type(DType t, bool dequantizes) {
  return t == DType::u8 || t == DType::i8 || (dequantizes && t == DType::i32);
}

// The axis of scales that are not one value; nullopt if they are shaped otherwise.
std::optional<int> axis_of(const Node& node, const Tensor& scale, size_t rank) {
  if (integer_attribute(node, "block_size", 0) != 0) return std::nullopt;
  if (scale.elements() == 1 && scale.dims.size() <= 1) return -1;
  if (scale.dims.size() != 1) return std::nullopt;
  int64_t axis = integer_attribute(node, "axis", 1);
  if (axis < 0) axis += int64_t(rank);
  return axis >= 0 && axis < int64_t(rank) ? std::optional(int(axis)) : std::nullopt;
}

}  // namespace

std::optional<Quantization> quantization_of(const Graph& graph, const Node& node) {
  const bool dequantizes = node.op == "DequantizeLinear";
  if (!node.domain.empty() || (!dequantizes && node.op != "QuantizeLinear") || node.outputs[0] == kNoValue)
    return std::nullopt;
  const auto &in = graph.value(node.inputs[0]).type, &out = graph.value(node.outputs[0]).type;
  const Tensor* scale = constant_input(graph, node, 1);
  if (!in || !out || !scale || scale->dtype != DType::f32) return std::nullopt;
  if ((dequantizes ? out : in)->dtype != DType::f32) return std::nullopt;
  Quantization q{(dequantizes ? in : out)->dtype, numbers_of(*scale), {}};
  auto axis = axis_of(node, *scale, in->shape.size());
  if (!axis || !usable(q.scales) || !is_quantized_type(q.type, dequantizes)) return std::nullopt;
  q.axis = *axis;
  q.zeros.assign(q.scales.size(), 0);
  if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return q;
  const Tensor* zero = constant_input(graph, node, 2);
  if (!zero || zero->elements() != int64_t(q.scales.size())) return std::nullopt;
  q.zeros = integers_of(*zero);
  bool all_zero = std::all_of(q.zeros.begin(), q.zeros.end(), [](int64_t z) { return z == 0; });
  if (!all_zero) q.zero_input = node.inputs[2];
  return q;
}

const Node* producer(const Graph& graph, ValueId v, const char* op) {
  if (v == kNoValue || graph.value(v).producer < 0) return nullptr;
  const Node& node = graph.nodes[size_t(graph.value(v).producer)];
  return node.domain.empty() && node.op == op ? &node : nullptr;
}

std::optional<Dequantized> dequantized(const Graph& graph, ValueId v) {
  const Node* node = producer(graph, v, "DequantizeLinear");
  if (!node) return std::nullopt;
  auto parameters = quantization_of(graph, *node);
  if (!parameters) return std::nullopt;
  return Dequantized{node->inputs[0], std::move(*parameters)};
}

bool sum_fits(const Graph& graph, ValueId right, bool convolution, bool transposed) {
  const Shape& w = graph.value(right).type->shape;
  IndexExpr K = 1;
  if (convolution)
    for (size_t d = 1; d < w.size(); d++) K = K * w[d];
  else
    K = w.size() < 2 ? w[0] : w[transposed ? w.size() - 1 : w.size() - 2];
  return K.is_constant() && K.constant() <= kMostK;
}

bool moves_elements(const Node& node) {
  static constexpr std::array<std::string_view, 15> kMoving{
      "Concat",  "DepthToSpace", "Expand", "Flatten", "Gather",  "GatherElements", "GatherND", "Identity",
      "MaxPool", "Reshape",      "Slice",  "Split",   "Squeeze", "Transpose",      "Unsqueeze"};
  if (!node.domain.empty() || std::find(kMoving.begin(), kMoving.end(), node.op) == kMoving.end()) return false;
  return node.op != "MaxPool" || node.outputs.size() == 1 || node.outputs[1] == kNoValue;
}

}  // namespace cppgen::passes
