#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// Versions by domain. UserError for versions that do not exist, and for a domain with two versions.
std::map<std::string, int> read_opsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>&);

// A function that the model defines. Its proto lives as long as the model's.
struct Function {
  onnx::FunctionProto* proto;
  bool prepared = false;              // the following members are set at the first call
  std::map<std::string, int> opsets;  // of its nodes
  std::map<std::string, onnx::AttributeProto> defaults;
  std::vector<int> order;                              // topological positions of its nodes
  std::map<const onnx::NodeProto*, Tensor> constants;  // of its Constant nodes, shared by all calls
};
std::string label(const Function&);  // "domain.Name", and the overload if it has one
bool is_declared(const Function&, const std::string& attribute);
// The attributes of a call that the function declares: as given, else the default. Without either one is absent.
// UserError for one that is given twice.
std::map<std::string, const onnx::AttributeProto*> attributes_of(const Function&, const onnx::NodeProto&);

// The functions of one model by domain, name and overload; they override operators of the same names.
class FunctionTable {
 public:
  FunctionTable() = default;
  explicit FunctionTable(onnx::ModelProto&);  // UserError if a function is defined twice

  Function* find(const onnx::NodeProto&);  // null: the node does not call a function of the model

 private:
  std::map<std::tuple<std::string, std::string, std::string>, Function> functions_;
};

// A call whose function body is being built in place of the node.
struct Call {
  const Function& function;
  const Call* caller;  // null: a node of the model's own graphs
  std::string path;    // "outer/inner/": the path of calls, which prefixes all names of the body
  std::map<std::string, const onnx::AttributeProto*> attributes;  // those that have a value
};

// Bounds the total size of all calls of a model, which could be exponential in the number of functions.
class InlineBudget {
 public:
  void take(size_t bytes);  // of one node or call; UserError beyond the bounds

 private:
  size_t nodes_ = 0, bytes_ = 0;
};

}  // namespace cppgen::import
