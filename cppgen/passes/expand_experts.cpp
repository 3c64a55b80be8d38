// Mixtures of experts: MoE and QMoE of com.microsoft. All experts run over all rows; rows that were not sent to an
// expert have the weight 0 in its part of the sum.
#include <limits>

#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// Weights [experts, results, features] and biases [experts, results] of both layers.
struct Experts {
  ValueId first, first_bias, second, second_bias;
};

ValueId layer(Expansion& e, ValueId x, ValueId weights, ValueId bias) {
  const ValueId y = e.add("MatMul", {x, e.add("Transpose", {weights}, {{"perm", std::vector<int64_t>{0, 2, 1}}})});
  return bias == kNoValue ? y : e.add("Add", {y, e.add("Unsqueeze", {bias, e.ints({1})})});
}

// Gates are at even positions and their factors at odd ones, or each in one half.
ValueId gated(Expansion& e, ValueId x) {
  const bool interleaved = e.integer("swiglu_fusion", 0) == 1;
  const int64_t end = std::numeric_limits<int64_t>::max();
  std::vector<ValueId> parts;
  if (interleaved)
    for (int64_t first : {0, 1})
      parts.push_back(e.add("Slice", {x, e.ints({first}), e.ints({end}), e.ints({-1}), e.ints({2})}));
  else
    parts = e.add_several("Split", {x}, {{"axis", int64_t(-1)}, {"num_outputs", int64_t(2)}}, 2);
  ValueId gate = parts[0], linear = parts[1];
  if (const double limit = float_attribute(e.old, "swiglu_limit", 0); limit > 0) {
    gate = e.add("Min", {gate, e.floats({}, {limit})});
    linear = e.add("Clip", {linear, e.floats({}, {-limit}), e.floats({}, {limit})});
  }
  if (const double beta = float_attribute(e.old, "activation_beta", 0); beta != 0)
    linear = e.add("Add", {linear, e.floats({}, {beta})});
  return e.add("Mul", {e.swish(gate, float_attribute(e.old, "activation_alpha", 1)), linear});
}

using Activate = ValueId (*)(Expansion&, ValueId x);

constexpr std::pair<std::string_view, Activate> kActivations[] = {
    {"identity", [](Expansion&, ValueId x) { return x; }},
    {"relu", [](Expansion& e, ValueId x) { return e.add("Relu", {x}); }},
    {"gelu",
     [](Expansion& e, ValueId x) {
       return e.add("Gelu", {x}, {{"approximate", std::string("tanh")}});
     }},
    {"silu", [](Expansion& e, ValueId x) { return e.swish(x, 1); }},
    {"swiglu", gated},
};

// The activation of a node whose attributes are all supported, else null.
Activate activation_of(const Expansion& e) {
  if (e.integer("use_sparse_mixer", 0) != 0) return nullptr;
  const std::string name = text_attribute(e.old, "activation_type", "relu");
  for (const auto& [known, activate] : kActivations)
    if (name == known && (activate != gated || e.integer("swiglu_fusion", 0) != 0)) return activate;
  return nullptr;
}

// [experts, rows, 1]: how much of each expert's result a row takes.
ValueId routing(Expansion& e) {
  const ValueId all = e.add("Softmax", {e.input(1)}, {{"axis", int64_t(-1)}});
  const auto best = e.add_several("TopK", {all, e.ints({e.integer("k", 1)})}, {}, 2);
  ValueId weights = best[0];
  if (e.integer("normalize_routing_weights", 0) != 0)
    weights = e.add("Div", {weights, e.add("ReduceSum", {weights, e.ints({-1})})});
  const ValueId none = e.add("Sub", {all, all});
  const ValueId dense = e.add("ScatterElements", {none, best[1], weights}, {{"axis", int64_t(1)}});
  return e.add("Unsqueeze", {e.add("Transpose", {dense}), e.ints({2})});
}

void become_experts(Expansion& e, Activate activate, const Experts& experts) {
  const ValueId shape = e.add("Shape", {e.input(0)});
  const ValueId features = e.add("Shape", {e.input(0)}, {{"start", int64_t(-1)}});
  const ValueId flat = e.add("Concat", {e.ints({1, -1}), features}, {{"axis", int64_t(0)}});
  const ValueId inner = layer(e, e.add("Reshape", {e.input(0), flat}), experts.first, experts.first_bias);
  const ValueId results = layer(e, activate(e, inner), experts.second, experts.second_bias);
  const ValueId sum = e.add("ReduceSum", {e.add("Mul", {results, routing(e)}), e.ints({0})});
  e.become("Reshape", {sum, shape}, {});
}

// Files of ONNX Runtime before 1.23 have features and results in the other order, which the shapes of biases show.
bool is_transposed(const Expansion& e, size_t weights, size_t bias) {
  const Tensor *w = e.constant(weights), *b = e.constant(bias);
  return w && b && w->dims.size() == 3 && b->dims.size() == 2 && w->dims[1] != b->dims[1] && w->dims[2] == b->dims[1];
}

// Bytes, or halves of bytes of which the lower one is first, around their middle: with a scale for each row, or for
// each block of it.
ValueId dequantized(Expansion& e, size_t weights, size_t scales, size_t zeros) {
  const Tensor *w = e.constant(weights), *s = e.constant(scales);
  const int64_t bits = e.integer("expert_weight_bits", 4);
  if (!w || !s || e.input(zeros) != kNoValue || w->dtype != DType::u8 || w->dims.size() != 3 ||
      (bits != 4 && bits != 8))
    return kNoValue;
  const Tensor wide = bits == 4 ? unpacked_halves(*w, 2 * w->dims[2]) : *w;
  const int64_t K = wide.dims[2];
  Tensor scale = *s;
  if (scale.dims.size() == 2) scale.dims.push_back(1);
  if (scale.dims.size() != 3 || scale.dims[2] < 1 || K % scale.dims[2] != 0) return kNoValue;
  std::vector<std::byte> middle(static_cast<size_t>(scale.elements()), std::byte(bits == 4 ? 8 : 128));
  const ValueId zero =
      e.graph.add_constant(e.old.name + " zeros", make_tensor(DType::u8, scale.dims, std::move(middle)));
  const int64_t block = K / scale.dims[2];
  return e.add(
      "DequantizeLinear",
      {e.graph.add_constant(e.old.name + " weights", wide), e.graph.add_constant(e.old.name + " scales", scale), zero},
      {{"axis", int64_t(2)}, {"block_size", block}});
}

}  // namespace

// --- MoE: x, the scores of the router, weights and bias of the first, the second and a third layer

void expand_experts(Expansion& e) {
  const Activate activate = activation_of(e);
  if (!activate || e.input(6) != kNoValue || e.input(7) != kNoValue) return;
  Experts experts{e.input(2), e.input(3), e.input(4), e.input(5)};
  if (is_transposed(e, 2, 3) || is_transposed(e, 4, 5))
    for (ValueId* weights : {&experts.first, &experts.second})
      *weights = e.add("Transpose", {*weights}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  become_experts(e, activate, experts);
}

// --- QMoE: the same with scales after the weights, and zero points at the end

void expand_quantized_experts(Expansion& e) {
  const Activate activate = activation_of(e);
  if (!activate || e.input(8) != kNoValue || text_attribute(e.old, "quant_type", "int") != "int") return;
  for (size_t i = 14; i < e.old.inputs.size(); i++)
    if (e.input(i) != kNoValue) return;
  const ValueId first = dequantized(e, 2, 3, 11), second = dequantized(e, 5, 6, 12);
  if (first == kNoValue || second == kNoValue) return;
  become_experts(e, activate, {first, e.input(4), second, e.input(7)});
}

}  // namespace cppgen::passes
