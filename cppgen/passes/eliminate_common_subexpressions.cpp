#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "cppgen/graph/substitute_dims.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

struct Hash {
  size_t value = 1469598103934665603u;
  void bytes(std::string_view text) { add(std::hash<std::string_view>()(text)); }
  void add(size_t x) { value = (value ^ x) * 1099511628211u; }
};

// Both ends of the data; equal hashes are followed by a full comparison. So weights that differ are not read whole.
size_t hash_constant(const Tensor& t) {
  constexpr size_t kSample = 1024;
  Hash h;
  h.add(size_t(t.dtype));
  for (int64_t d : t.dims) h.add(size_t(d));
  std::string_view data(static_cast<const char*>(t.data.bytes), t.data.size);
  h.bytes(data.substr(0, kSample));
  if (data.size() > kSample) h.bytes(data.substr(data.size() - kSample));
  return h.value;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.dims != b.dims || a.data.size != b.data.size) return false;
  return a.data.bytes == b.data.bytes || a.data.size == 0 || std::memcmp(a.data.bytes, b.data.bytes, a.data.size) == 0;
}

struct SameAttribute {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, Tensor>)
      return same_tensor(a, b);
    else if constexpr (std::is_same_v<T, float>)
      return std::memcmp(&a, &b, sizeof a) == 0;  // NaN equals itself, 0 differs from -0
    else if constexpr (std::is_same_v<T, std::vector<float>>)
      return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
    else
      return a == b;
  }
  template <class T, class U>
  bool operator()(const T&, const U&) const {
    return false;
  }
};

bool same_attributes(const Node& a, const Node& b) {
  return std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && std::visit(SameAttribute{}, x.second, y.second);
                    });
}

bool same_outputs_present(const Node& a, const Node& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [](ValueId x, ValueId y) { return (x == kNoValue) == (y == kNoValue); });
}

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.domain == b.domain && a.opset == b.opset && a.inputs == b.inputs &&
         same_outputs_present(a, b) && same_attributes(a, b) && a.facts == b.facts;
}

// A result whose size only a run knows has a symbol of its own. `symbols` maps it to that of the earlier node; false if
// the shapes differ otherwise.
bool relate_shapes(const Graph& graph, const Node& earlier, const Node& node, ir::IndexMap& symbols) {
  ir::IndexMap related = symbols;
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i] == kNoValue) continue;
    const auto &a = graph.value(earlier.outputs[i]).type, &b = graph.value(node.outputs[i]).type;
    if (!a || !b) continue;
    if (a->shape.size() != b->shape.size()) return false;
    for (size_t d = 0; d < a->shape.size(); d++) {
      const ir::IndexExpr to = ir::substitute(a->shape[d], related), from = ir::substitute(b->shape[d], related);
      if (to == from) continue;
      if (!ir::is_fresh_symbol(from)) return false;
      related[from.node()] = to;
    }
  }
  symbols = std::move(related);
  return true;
}

size_t hash_node(const Node& node) {
  Hash h;
  h.bytes(node.op);
  h.bytes(node.domain);
  for (ValueId in : node.inputs) h.add(size_t(in));
  return h.value;
}

void merge_constants(const Graph& graph, Replacements& replacements) {
  std::unordered_map<size_t, std::vector<ValueId>> seen;
  for (const Value& v : graph.values) {
    if (!v.constant) continue;
    auto& bucket = seen[hash_constant(*v.constant)];
    auto same = std::find_if(bucket.begin(), bucket.end(),
                             [&](ValueId other) { return same_tensor(*graph.value(other).constant, *v.constant); });
    if (same == bucket.end())
      bucket.push_back(v.id);
    else
      replacements.replace(v.id, *same);
  }
}

}  // namespace

void eliminate_common_subexpressions(Graph& graph, const PassOptions&) {
  Replacements replacements(graph);
  merge_constants(graph, replacements);
  ir::IndexMap symbols;
  std::unordered_map<size_t, std::vector<NodeId>> seen;
  for (Node& node : graph.nodes) {
    for (ValueId& in : node.inputs) in = replacements.resolve(in);
    if (!is_pure(node)) continue;
    auto& bucket = seen[hash_node(node)];
    auto same = std::find_if(bucket.begin(), bucket.end(),
                             [&](NodeId other) { return same_node(graph.nodes[size_t(other)], node); });
    if (same == bucket.end()) {
      bucket.push_back(node.id);
      continue;
    }
    const Node& first = graph.nodes[size_t(*same)];
    if (!relate_shapes(graph, first, node, symbols)) continue;
    for (size_t i = 0; i < node.outputs.size(); i++)
      if (node.outputs[i] != kNoValue) replacements.replace(node.outputs[i], first.outputs[i]);
  }
  replacements.apply(graph);
  if (!symbols.empty()) substitute_dims(graph, symbols);
}

}  // namespace cppgen::passes
