#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/ort_call.h"

// A graph of ONNX Runtime as plain data. All handles and names belong to ONNX Runtime, for the duration of the call in
// which it passed the graph.
namespace cppgen::ep {

struct TensorType {
  ort::ElementType element = 0;      // 0: no tensor
  bool ranked = false;               // the number of dimensions is known
  std::vector<int64_t> dims;         // -1: not known
  std::vector<std::string> symbols;  // the names of dimensions that are not known, or ""
};

struct GraphNode {
  const ort::Node* handle = nullptr;
  std::string name;  // ONNX Runtime's if it is unique in the graph, otherwise one that is
  std::string type, domain;
  std::vector<std::string> inputs, outputs;  // "": left out
  std::vector<std::string> outer;            // what its bodies read of the graphs around them
  bool taken = false;                        // by another provider
};

struct GraphData {
  const ort::Graph* handle = nullptr;
  std::vector<GraphNode> nodes;                         // in topological order
  std::map<std::string, const ort::ValueInfo*> values;  // all that nodes read and write, by name
  std::set<std::string> constants;                      // those of `values` that have the same content in each run
  std::set<std::string> outputs;                        // of the graph
};

GraphData read_graph(const ort::Api& api, const ort::Graph* graph);

// The node of which `body` is a body, as a graph of its own; none if it is no body. The graph around the node is not
// known then.
GraphData read_parent(const ort::Api& api, const ort::Graph* body);

// The values that a fused node would read and write, each once, in the order of first use.
struct Boundary {
  std::vector<std::string> inputs, constants, outputs;
};

// `nodes` are positions in graph.nodes, in ascending order.
Boundary boundary_of(const GraphData& graph, const std::vector<size_t>& nodes);

// `tells_ranks`: whether ONNX Runtime has TensorTypeAndShape_HasShape. Otherwise a tensor without dimensions may be one
// of unknown rank, and is reported as such.
TensorType tensor_type(const ort::Api& api, bool tells_ranks, const ort::ValueInfo* value);

std::string value_name(const ort::Api& api, const ort::ValueInfo* value);  // "" for null

// A text attribute, or "" if the node has none of this name.
std::string text_attribute(const ort::Api& api, const ort::Node* node, const char* name);
int64_t integer_attribute(const ort::Api& api, const ort::Node* node, const char* name, int64_t otherwise);

// The bytes of an attribute as ReadOpAttr gives them.
std::string attribute_bytes(const ort::Api& api, const ort::Attribute* attribute, ort::AttributeType type);

}  // namespace cppgen::ep
