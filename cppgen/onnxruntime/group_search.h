#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/model_compiler.h"
#include "cppgen/onnxruntime/partition.h"

namespace cppgen::ep {

using Group = std::vector<size_t>;  // positions of nodes in a graph, ascending

// A group that is supported.
struct Supported {
  WrittenModel model;
  Answer answer;
};

// States why a group is refused.
struct Refusal {
  std::string reason;         // "": it is not refused
  std::vector<size_t> nodes;  // that are the reason, as far as that is known
  bool for_sizes = false;     // it may be another one if more sizes are known
};

// Finds the groups of a graph that the compiler supports: asks about the largest ones, leaves out the nodes that are
// the reason of a refusal, and asks again.
class GroupSearch {
 public:
  // All must outlive the search. Why nodes are left out goes to the log.
  GroupSearch(const ort::Api& api, bool tells_ranks, const ort::Logger* logger, const ModelCompiler& compiler,
              const GraphData& graph);

  std::map<Group, Supported> run();

  // Fills `supported` if the group is not refused.
  Refusal refusal(const Group& group, Supported& supported) const;

 private:
  bool examine(const Group& group, Supported& supported);
  void leave_out(size_t node, const std::string& reason);
  std::vector<size_t> refused_alone(const Group& group) const;
  std::vector<size_t> nodes_with(const Group& group, const std::vector<std::string>& values) const;
  std::vector<size_t> named_nodes(const Group& group, const std::vector<std::string>& names) const;
  TensorType type_of(const std::string& value) const;
  Refusal refusal_with(const Group& group, const KnownTypes& types, Supported& supported) const;
  Refusal refusal_for_any_rank(const Group& group, const std::string& value, Supported& supported) const;
  Refusal refusal_for_sizes(const Group& group, const Supported& supported) const;
  std::map<Group, Supported> groups();
  Group nodes_of(const std::map<Group, Supported>& found) const;
  std::vector<std::string> values_of_unknown_size(const std::map<Group, Supported>& found) const;
  bool infer_sizes(const std::map<Group, Supported>& found);

  const ort::Api& api_;
  const bool tells_ranks_;
  const ort::Logger* const logger_;
  const ModelCompiler& compiler_;
  const GraphData& graph_;
  std::vector<PartitionNode> nodes_;
  KnownTypes known_;      // types that the compiler inferred
  Group left_for_sizes_;  // nodes that were left out because sizes of what they read are not known
};

}  // namespace cppgen::ep
