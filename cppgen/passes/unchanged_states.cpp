// Values that a Loop carries although its body never changes them.
#include <algorithm>

#include "cppgen/passes/branches.h"

namespace cppgen::passes {
namespace {

constexpr size_t kInputsBeforeStates = 2, kBodyOutputsBeforeStates = 1;  // trip count and condition; condition

// The value that a chain of Identity nodes passes on.
ValueId passed_on(const Graph& body, ValueId v) {
  while (v != kNoValue && body.value(v).producer >= 0) {
    const Node& node = body.nodes[size_t(body.value(v).producer)];
    if (node.op != "Identity" || !node.domain.empty()) break;
    v = node.inputs[0];
  }
  return v;
}

// The numbers of the states that the body passes on as they are; none if the node is no Loop, or is malformed, which
// its inference reports.
std::vector<size_t> unchanged_states(const Node& loop) {
  if (loop.op != "Loop" || !loop.domain.empty() || !loop.attributes.count("body")) return {};
  const Graph& body = *std::get<std::shared_ptr<Graph>>(loop.attributes.at("body"));
  const size_t captures = loop.captures("body").size();
  if (body.inputs.size() != loop.inputs.size() || loop.inputs.size() < kInputsBeforeStates + captures) return {};
  const size_t states = loop.inputs.size() - kInputsBeforeStates - captures;
  if (body.outputs.size() < kBodyOutputsBeforeStates + states) return {};
  std::vector<size_t> unchanged;
  for (size_t i = 0; i < states; i++)
    if (loop.inputs[kInputsBeforeStates + i] != kNoValue &&
        passed_on(body, body.outputs[kBodyOutputsBeforeStates + i]) == body.inputs[kInputsBeforeStates + i])
      unchanged.push_back(i);
  return unchanged;
}

// Removes the declared dimensions of an output, and moves those behind it.
void drop_declared(Node& node, size_t output) {
  std::map<int, std::vector<int64_t>> left;
  for (const auto& [i, dims] : node.facts.declared)
    if (size_t(i) != output) left[i - int(size_t(i) > output)] = dims;
  node.facts.declared = std::move(left);
}

// Moves an element to the end.
void move_to_end(std::vector<ValueId>& values, size_t i) {
  std::rotate(values.begin() + std::ptrdiff_t(i), values.begin() + std::ptrdiff_t(i) + 1, values.end());
}

}  // namespace

bool capture_unchanged_states(Graph& graph, NodeOrder& order, NodeId id) {
  Node& loop = graph.nodes[size_t(id)];
  const std::vector<size_t> unchanged = unchanged_states(loop);
  if (unchanged.empty() || unchanged.size() >= loop.outputs.size()) return false;  // without results it is dead
  // The body is shared with what inference may come back to.
  auto body = std::make_shared<Graph>(deep_copy(*std::get<std::shared_ptr<Graph>>(loop.attributes["body"])));
  std::vector<int64_t>& positions = loop.facts.captures["body"];
  std::vector<std::pair<ValueId, ValueId>> results;  // of the node, and the values that they are
  for (auto i = unchanged.rbegin(); i != unchanged.rend(); ++i) {
    if (loop.outputs[*i] != kNoValue) results.emplace_back(loop.outputs[*i], loop.inputs[kInputsBeforeStates + *i]);
    loop.outputs.erase(loop.outputs.begin() + std::ptrdiff_t(*i));
    drop_declared(loop, *i);
    move_to_end(loop.inputs, kInputsBeforeStates + *i);
    move_to_end(body->inputs, kInputsBeforeStates + *i);
    body->outputs.erase(body->outputs.begin() + std::ptrdiff_t(kBodyOutputsBeforeStates + *i));
    for (int64_t& p : positions) p--;
    positions.push_back(int64_t(loop.inputs.size()) - 1);
  }
  loop.attributes["body"] = std::move(body);
  const std::string name = loop.name;
  for (auto r = results.rbegin(); r != results.rend(); ++r)
    order.insert_before(id, "Identity", {r->second}, {r->first}).name = name;
  return !results.empty();
}

}  // namespace cppgen::passes
