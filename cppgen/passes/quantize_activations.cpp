#include "cppgen/ops/op.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kInt8Level = 4;  // of the attribute accuracy_level
constexpr size_t kGroups = 4, kBias = 5;

bool is_chosen(const Node& node, const PassOptions& options) {
  if (node.op != "MatMulNBits" || node.domain != "com.microsoft") return false;
  if (node.inputs.size() > kGroups && node.inputs[kGroups] != kNoValue) return false;
  return options.int8_activations == "always" || integer_attribute(node, "accuracy_level", 0) == kInt8Level;
}

void take_bytes(Graph& graph, NodeOrder& order, NodeId id) {
  const Node old = graph.nodes[size_t(id)];
  const std::vector<ValueId> quantized = {graph.add_value(old.name + "/bytes"), graph.add_value(old.name + "/scales")};
  Node& quantize = order.insert_before(id, "QuantizeBlocks", {old.inputs[0]}, quantized);
  quantize.name = old.name, quantize.domain = "cppgen", quantize.opset = 1;
  quantize.attributes = {{"block_size", old.attributes.at("block_size")}};
  ops::infer_node(graph, quantize.id);
  Node& product = graph.nodes[size_t(id)];
  product.op = "QuantizedMatMulNBits", product.domain = "cppgen", product.opset = 1;
  product.attributes.erase("accuracy_level"), product.attributes.erase("weight_prepacked");
  std::vector<ValueId> inputs = {quantized[0], quantized[1]};
  inputs.insert(inputs.end(), old.inputs.begin() + 1, old.inputs.begin() + long(std::min(kGroups, old.inputs.size())));
  if (old.inputs.size() > kBias) inputs.resize(kBias, kNoValue), inputs.push_back(old.inputs[kBias]);
  product.inputs = std::move(inputs);
  ops::infer_node(graph, id);
}

}  // namespace

void quantize_activations(Graph& graph, const PassOptions& options) {
  if (options.int8_activations == "never") return;
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    if (is_chosen(graph.nodes[size_t(id)], options)) take_bytes(graph, order, id);
  });
}

}  // namespace cppgen::passes
