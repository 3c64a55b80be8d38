#include "cppgen/import/order.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "cppgen/graph/graph.h"
#include "cppgen/import/import.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::import {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

template <class Visit>
void for_each_body(const onnx::NodeProto& node, Visit visit) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) visit(attribute.g());
    for (const auto& g : attribute.graphs()) visit(g);
  }
}

std::string label(const onnx::NodeProto& node) {
  return fmt::format("{} {}", one_line(node.op_type()), quoted(node.name()));
}

// Follows producers without a position from any node without one, until a node occurs again.
std::string describe_cycle(const Nodes& nodes, const std::vector<std::vector<int>>& producers,
                           const std::vector<int>& waiting) {
  int at = int(std::find_if(waiting.begin(), waiting.end(), [](int n) { return n > 0; }) - waiting.begin());
  std::vector<int> path;
  std::vector<bool> seen(waiting.size());
  while (!seen[size_t(at)]) {
    seen[size_t(at)] = true;
    path.push_back(at);
    const auto& before = producers[size_t(at)];
    at = *std::find_if(before.begin(), before.end(), [&](int p) { return waiting[size_t(p)] > 0; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::reverse(path.begin(), path.end());
  std::vector<std::string> labels;
  for (size_t i = 0; i < std::min<size_t>(path.size(), 8); i++) labels.push_back(label(nodes[path[i]]));
  return fmt::format("{}", fmt::join(labels, " -> ")) + (path.size() > 8 ? " -> ..." : "");
}

}  // namespace

std::unordered_set<std::string_view> names_read(const onnx::NodeProto& node, int depth) {
  std::unordered_set<std::string_view> names;
  for (const std::string& in : node.input())
    if (!in.empty()) names.insert(in);
  for_each_body(node, [&](const onnx::GraphProto& body) { names.merge(free_names(body, depth + 1)); });
  return names;
}

std::unordered_set<std::string_view> free_names(const onnx::GraphProto& body, int depth) {
  if (depth > kMaxGraphNesting)
    user_error("graph {}: bodies are nested more than {} levels deep", quoted(body.name()), kMaxGraphNesting);
  std::unordered_set<std::string_view> names;
  for (const auto& node : body.node()) names.merge(names_read(node, depth));
  for (const auto& output : body.output()) names.insert(output.name());
  for (const auto& input : body.input()) names.erase(input.name());
  for (const auto& tensor : body.initializer()) names.erase(tensor.name());
  for (const auto& node : body.node())
    for (const std::string& out : node.output()) names.erase(out);
  return names;
}

std::vector<int> topological_order(const Nodes& nodes, int depth) {
  std::unordered_map<std::string_view, int> producer;
  for (int i = 0; i < nodes.size(); i++)
    for (const std::string& out : nodes[i].output())
      if (!out.empty() && !producer.emplace(out, i).second)
        user_error("value {} is defined twice: by {} and by {}", quoted(out), label(nodes[producer[out]]),
                   label(nodes[i]));

  size_t count = size_t(nodes.size());
  std::vector<std::vector<int>> producers(count), users(count);
  std::vector<int> waiting(count);  // producers that have no position yet
  for (size_t i = 0; i < count; i++) {
    for (std::string_view name : names_read(nodes[int(i)], depth)) {
      auto found = producer.find(name);
      if (found == producer.end()) continue;
      producers[i].push_back(found->second);
      users[size_t(found->second)].push_back(int(i));
      waiting[i]++;
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < count; i++)
    if (waiting[i] == 0) ready.push(int(i));
  std::vector<int> order;
  while (!ready.empty()) {
    int at = ready.top();
    ready.pop();
    order.push_back(at);
    for (int user : users[size_t(at)])
      if (--waiting[size_t(user)] == 0) ready.push(user);
  }
  if (order.size() != count) user_error("nodes form a cycle: {}", describe_cycle(nodes, producers, waiting));
  return order;
}

}  // namespace cppgen::import
