#include "cppgen/passes/expand_composites.h"

#include "cppgen/passes/expand_transform.h"
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// --- QAttention: x, weights, bias, scale of x, scale of the weights, mask, zero points of both, past

void expand_attention(Expansion& e) {
  if (e.input(8) != kNoValue || e.old.outputs.size() > 1 || e.integer("do_rotary", 0) != 0) return;
  const ValueId x = e.add("DequantizeLinear", {e.input(0), e.scalar(3), e.scalar(6)});
  const ValueId weights = e.add("DequantizeLinear", {e.input(1), e.scalar(4), e.scalar(7)}, {{"axis", int64_t(1)}});
  ValueId all = e.add("MatMul", {x, weights});
  if (e.input(2) != kNoValue) all = e.add("Add", {all, e.input(2)});
  const auto parts = e.add_several("Split", {all}, {{"axis", int64_t(2)}, {"num_outputs", int64_t(3)}}, 3);
  std::vector<ValueId> inputs = parts;
  if (e.input(5) != kNoValue) inputs.insert(inputs.end(), {kNoValue, e.input(5)});
  e.become("MultiHeadAttention", std::move(inputs), e.given_attributes(), kMicrosoft);
}

// --- Channels last

// 0, rank - 1, 1, 2 ...; and back.
std::vector<int64_t> channels_second(int64_t rank) {
  std::vector<int64_t> perm{0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; d++) perm.push_back(d);
  return perm;
}
std::vector<int64_t> channels_last(int64_t rank) {
  std::vector<int64_t> perm{0};
  for (int64_t d = 2; d < rank; d++) perm.push_back(d);
  perm.push_back(1);
  return perm;
}

// The operator of ONNX between two transpositions.
void transposed(Expansion& e, const char* op, int64_t rank, const char* domain = "") {
  Attributes own = e.given_attributes();
  own.erase("channels_last");
  std::vector<ValueId> inputs = e.old.inputs;
  inputs[0] = e.add("Transpose", {inputs[0]}, {{"perm", channels_second(rank)}});
  const ValueId y = e.add(op, std::move(inputs), std::move(own), domain);
  e.become("Transpose", {y}, {{"perm", channels_last(rank)}});
}

std::optional<int64_t> rank_of_window(const Expansion& e, size_t weights) {
  const auto kernel = e.old.attributes.find("kernel_shape");
  if (kernel != e.old.attributes.end())
    if (const auto* list = std::get_if<std::vector<int64_t>>(&kernel->second)) return int64_t(list->size()) + 2;
  if (const Tensor* w = e.constant(weights)) return int64_t(w->dims.size());
  return std::nullopt;
}

void expand_pool(Expansion& e) {
  const auto rank = rank_of_window(e, size_t(-1));
  if (!rank || e.old.outputs.size() != 1) return;
  transposed(e, "MaxPool", *rank);
}

void expand_average_pool(Expansion& e) {
  const auto rank = rank_of_window(e, size_t(-1));
  if (rank && e.integer("channels_last", 0) != 0) transposed(e, "QLinearAveragePool", *rank, kMicrosoft);
}

void expand_convolution(Expansion& e) {
  if (e.integer("channels_last", 0) == 0) {
    return e.become("QLinearConv", e.old.inputs, e.old.attributes);
  }
  const auto rank = rank_of_window(e, 3);
  if (!rank) return;
  transposed(e, "QLinearConv", *rank);
}

// --- QLinearWhere: condition, then both operands with scale and zero point, scale and zero point of the result

void expand_where(Expansion& e) {
  const ValueId x = e.add("DequantizeLinear", {e.input(1), e.input(2), e.input(3)}),
                y = e.add("DequantizeLinear", {e.input(4), e.input(5), e.input(6)});
  const ValueId chosen = e.add("Where", {e.input(0), x, y});
  e.become("QuantizeLinear", {chosen, e.input(7), e.input(8)}, {});
}

struct Composite {
  const char *op, *domain;
  void (*expand)(Expansion&);
};
constexpr Composite kComposites[] = {
    {"QAttention", kMicrosoft, expand_attention},        {"NhwcMaxPool", kMicrosoft, expand_pool},
    {"QLinearConv", kMicrosoft, expand_convolution},     {"QLinearAveragePool", kMicrosoft, expand_average_pool},
    {"QLinearWhere", kMicrosoft, expand_where},          {"GatherBlockQuantized", kMicrosoft, expand_gather},
    {"MatMulNBits", kMicrosoft, expand_ordered_weights}, {"DFT", "", expand_transform}};

}  // namespace

void expand_composites(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); i++)
    for (const Composite& composite : kComposites) {
      if (graph.nodes[i].domain != composite.domain || graph.nodes[i].op != composite.op) continue;
      Expansion expansion(graph, NodeId(i));
      composite.expand(expansion);
    }
}

}  // namespace cppgen::passes
