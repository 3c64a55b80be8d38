// Branches that are known, constants that bodies capture, and nodes that no run reaches.
#include "cppgen/passes/branches.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/ops/value_type.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int kOwnOpset = 1;  // of cppgen's own operators

std::vector<std::string> body_names(const Node& node) {
  std::vector<std::string> names;
  for (const auto& [name, attribute] : node.attributes)
    if (std::holds_alternative<std::shared_ptr<Graph>>(attribute)) names.push_back(name);
  return names;
}

// 1 or 0 if the scalar is known.
std::optional<bool> known_truth(const Value& v) {
  if (v.constant && v.constant->elements() == 1 && v.constant->dtype == DType::boolean)
    return *v.constant->as<uint8_t>() != 0;
  if (v.contents && v.contents->size() == 1 && (*v.contents)[0].is_constant()) return (*v.contents)[0].constant() != 0;
  return std::nullopt;
}

bool is_if(const Node& node) { return node.op == "If" && node.domain.empty() && !node.inputs.empty(); }

// The constant that a capture is, if it is known to be one.
std::optional<Tensor> captured_constant(const Graph& graph, const Node& node, const std::string& body,
                                        ValueId outside) {
  if (is_if(node) && outside == node.inputs[0] && graph.value(outside).type) {
    const Shape& shape = graph.value(outside).type->shape;
    if (!std::all_of(shape.begin(), shape.end(), [](IndexExpr d) { return d.is_constant(1); })) return std::nullopt;
    return make_tensor(DType::boolean, std::vector<int64_t>(shape.size(), 1), {std::byte(body == "then_branch")});
  }
  return graph.value(outside).constant;
}

// Inputs of the node that no body captures any more.
void drop_inputs(Node& node, const std::vector<bool>& dropped) {
  std::vector<int64_t> moved(node.inputs.size());
  std::vector<ValueId> kept;
  for (size_t i = 0; i < node.inputs.size(); i++) {
    moved[i] = int64_t(kept.size());
    if (!dropped[i]) kept.push_back(node.inputs[i]);
  }
  node.inputs = std::move(kept);
  for (auto& [body, positions] : node.facts.captures)
    for (int64_t& p : positions) p = moved[size_t(p)];
}

}  // namespace

void absorb_captured_constants(Graph& graph, NodeId id) {
  Node& node = graph.nodes[size_t(id)];
  std::vector<bool> dropped(node.inputs.size());
  for (const std::string& name : body_names(node)) {
    const std::vector<int64_t> positions = node.captures(name);
    const auto known = [&](int64_t p) { return captured_constant(graph, node, name, node.inputs[size_t(p)]); };
    if (std::none_of(positions.begin(), positions.end(), [&](int64_t p) { return known(p).has_value(); })) continue;
    // The body is shared with what inference may come back to.
    auto body = std::make_shared<Graph>(deep_copy(*std::get<std::shared_ptr<Graph>>(node.attributes[name])));
    const size_t first = body->inputs.size() - positions.size();
    std::vector<ValueId> inputs(body->inputs.begin(), body->inputs.begin() + std::ptrdiff_t(first));
    std::vector<int64_t> left;
    for (size_t k = 0; k < positions.size(); k++) {
      const ValueId inside = body->inputs[first + k];
      if (auto constant = known(positions[k])) {
        make_constant(*body, inside, std::move(*constant));
        dropped[size_t(positions[k])] = true;
      } else {
        inputs.push_back(inside);
        left.push_back(positions[k]);
      }
    }
    body->inputs = std::move(inputs);
    node.attributes[name] = std::move(body);
    node.facts.captures[name] = std::move(left);
  }
  for (const std::string& name : body_names(node))
    for (int64_t p : node.captures(name)) dropped[size_t(p)] = false;
  drop_inputs(node, dropped);
}

namespace {

// Puts nodes in the place of one.
void replace_node(NodeOrder& order, NodeId id, std::vector<Node> by) {
  for (Node& node : by) order.insert_before(id, std::move(node));
  order.take(id);
}

Node own_node(std::string op, const std::string& name, std::vector<ValueId> outputs) {
  Node node = new_node(std::move(op), kOwnOpset, {}, std::move(outputs));
  node.name = name, node.domain = "cppgen";
  return node;
}

}  // namespace

bool take_known_branch(Graph& graph, NodeOrder& order, NodeId id) {
  const Node node = graph.nodes[size_t(id)];
  if (!is_if(node) || node.inputs[0] == kNoValue) return false;
  const std::optional<bool> condition = known_truth(graph.value(node.inputs[0]));
  const std::string name = condition && !*condition ? "else_branch" : "then_branch";
  if (!condition || !node.attributes.count(name)) return false;
  const Graph body = deep_copy(*std::get<std::shared_ptr<Graph>>(node.attributes.at(name)));
  const std::vector<int64_t>& positions = node.captures(name);
  if (body.inputs.size() != positions.size() || body.outputs.size() < node.outputs.size()) return false;
  std::vector<ValueId> copies(body.values.size(), kNoValue);
  for (size_t k = 0; k < positions.size(); k++) copies[size_t(body.inputs[k])] = node.inputs[size_t(positions[k])];
  for (const Value& v : body.values) {
    if (copies[size_t(v.id)] != kNoValue) continue;
    const ValueId copy = graph.add_value(v.name);
    copies[size_t(v.id)] = copy;
    graph.value(copy).type = v.type, graph.value(copy).constant = v.constant;
  }
  auto outside = [&](ValueId v) { return v == kNoValue ? kNoValue : copies[size_t(v)]; };
  std::vector<Node> nodes = body.nodes;
  for (Node& n : nodes) {
    std::transform(n.inputs.begin(), n.inputs.end(), n.inputs.begin(), outside);
    std::transform(n.outputs.begin(), n.outputs.end(), n.outputs.begin(), outside);
  }
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i] == kNoValue) continue;
    Node pass = node;
    pass.name = node.name, pass.op = "Identity", pass.attributes.clear();
    pass.facts = {};
    pass.inputs = {outside(body.outputs[i])}, pass.outputs = {node.outputs[i]};
    nodes.push_back(std::move(pass));
  }
  replace_node(order, id, std::move(nodes));
  return true;
}

void refuse_rest(Graph& graph, NodeOrder& order, NodeId id, const std::string& message) {
  Node refuse = own_node("Refuse", graph.nodes[size_t(id)].name, {});
  const std::vector<NodeId> rest = order.from(id);
  for (NodeId n : rest)
    for (ValueId out : graph.nodes[size_t(n)].outputs)
      if (out != kNoValue) refuse.outputs.push_back(out);
  refuse.attributes["message"] = message;
  refuse.facts.refused = true;
  for (ValueId& out : graph.outputs) {  // no run gets any of them
    if (std::find(refuse.outputs.begin(), refuse.outputs.end(), out) != refuse.outputs.end()) continue;
    out = graph.add_value(graph.value(out).name);
    refuse.outputs.push_back(out);
  }
  for (ValueId out : refuse.outputs) {
    Value& v = graph.value(out);
    v.type.reset(), v.host.reset(), v.contents.reset();
  }
  order.insert_before(id, std::move(refuse));
  for (NodeId n : rest) order.take(n);
}

bool replace_unreachable(Graph& graph, NodeOrder& order, NodeId id) {
  const Node& node = graph.nodes[size_t(id)];
  const bool passes_on = node.domain.empty() && (node.op.starts_with("Sequence") || node.op.starts_with("Optional"));
  const auto nothing = [&](ValueId v) { return v != kNoValue && ops::is_nothing(graph.value(v)); };
  if (passes_on || !bodies_of(node).empty() || std::none_of(node.inputs.begin(), node.inputs.end(), nothing))
    return false;
  Node refuse = own_node("Refuse", node.name, node.outputs);
  refuse.attributes["message"] =
      fmt::format("node {} ({}): it reads an element of an empty sequence", quoted(node.name), node.op);
  replace_node(order, id, {std::move(refuse)});
  return true;
}

}  // namespace cppgen::passes
