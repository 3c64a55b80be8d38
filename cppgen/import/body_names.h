#pragma once
#include <map>
#include <string>
#include <unordered_map>

#include "cppgen/import/protos.h"

namespace cppgen::import {

// The names of all values in a graph and in the bodies of its nodes.
class NamesInUse {
 public:
  explicit NamesInUse(const onnx::GraphProto& graph) { add(graph); }

  // The name itself, or one like it that is not in use; it is, from now on.
  std::string unused(const std::string& name);

 private:
  std::unordered_map<std::string, int> names_;  // and the last number that made a name like it
  void add(const onnx::GraphProto&);
};

// New names for the values that a body defines, the bodies of its nodes included. Other names stay.
class BodyNames {
 public:
  BodyNames(NamesInUse& used, std::string prefix) : used_(used), prefix_(std::move(prefix)) {}

  // The name of a value that has one already: an argument or a result.
  void set(const std::string& inside, const std::string& outside) { names_.insert_or_assign(inside, outside); }
  bool has(const std::string& inside) const { return names_.contains(inside); }
  // Chooses names for what the nodes, or a graph, define and that has none.
  void define(const google::protobuf::RepeatedPtrField<onnx::NodeProto>&);
  void define(const onnx::GraphProto&);

  std::string of(const std::string& inside) const;
  // Renames what the node reads and computes, and what its bodies do.
  void rename(onnx::NodeProto&) const;

 private:
  NamesInUse& used_;
  const std::string prefix_;
  std::map<std::string, std::string> names_;

  void define(const std::string& inside);
  void rename(onnx::GraphProto&) const;
};

onnx::NodeProto identity_of(const std::string& from, const std::string& to);

// Its own, or "If#3".
std::string name_of_node(const onnx::NodeProto&, int position);

}  // namespace cppgen::import
