#include <unordered_map>

#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {
namespace {

constexpr const char* kPool = "pool_strings";

// Each word once, in the order of the pool, and for each entry of the pool the position of its word.
struct Vocabulary {
  std::vector<std::string> words;
  std::vector<int64_t> pool;
};

Vocabulary vocabulary_of(const Node& node) {
  const auto* pool = std::get_if<std::vector<std::string>>(&node.attributes.at(kPool));
  if (!pool) user_error("node '{}' ({}): attribute '{}' is not a list of strings", node.name, node.op, kPool);
  Vocabulary v;
  std::unordered_map<std::string_view, int64_t> positions;
  for (const std::string& word : *pool) {
    const auto [at, added] = positions.emplace(word, int64_t(v.words.size()));
    if (added) v.words.push_back(word);
    v.pool.push_back(at->second);
  }
  return v;
}

void expand(Graph& graph, NodeOrder& order, NodeId id) {
  Node& node = graph.nodes[size_t(id)];
  Vocabulary v = vocabulary_of(node);
  const ValueId text = node.inputs[0], numbers = graph.add_value(node.name + " positions");
  node.inputs[0] = numbers;
  node.attributes.erase(kPool);
  node.attributes["pool_int64s"] = std::move(v.pool);
  const std::string name = node.name;
  Node& lookup = order.insert_before(id, "StringPositions", {text}, {numbers});
  lookup.domain = "cppgen";
  lookup.opset = 1;
  lookup.name = name;
  lookup.attributes["words"] = std::move(v.words);
}

}  // namespace

void expand_string_vocabularies(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    if (!node.domain.empty() || node.op != "TfIdfVectorizer" || !node.attributes.count(kPool)) return;
    if (node.inputs.empty() || node.attributes.count("pool_int64s")) return;  // refused with its operator's reasons
    expand(graph, order, id);
  });
}

}  // namespace cppgen::passes
