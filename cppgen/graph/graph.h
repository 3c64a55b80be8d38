#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/program/constant_data.h"
#include "runtime/base/dtype.h"
#include "runtime/base/value_kind.h"

namespace cppgen {

// An ONNX graph: values in SSA form, nodes in topological order, no protobuf.

using ir::IndexArena;
using ir::IndexExpr;

using Shape = std::vector<IndexExpr>;  // dimensions; those unknown until run time are symbols

struct TensorType {
  DType dtype;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

// The type of values that no kernel computes: strings, sequences, optionals, and tensors whose rank is known only at
// run time.
struct HostType {
  ValueKind kind = ValueKind::tensor;
  DType dtype = DType::f32;  // of the tensor, or of the elements; unused for strings
  bool strings = false;      // the tensor or the elements hold strings
  std::optional<std::vector<int64_t>>
      dims;  // of the tensor, or of every element; -1: known only at run time, or varying
  bool operator==(const HostType&) const = default;
};

// A constant: row-major elements, shared, possibly mapped from the model's external data file.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  ir::ConstantData data;

  int64_t elements() const;
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data.bytes);
  }
};
// InternalError unless `bytes` holds exactly the elements of `dims`.
Tensor make_tensor(DType, std::vector<int64_t> dims, std::vector<std::byte> bytes);
// A one-dimensional int64 constant, as shape inputs require it.
Tensor make_ints(const std::vector<int64_t>& values);
// The elements of an integer or bool constant as int64 (uint64 wraps).
std::vector<int64_t> integers_of(const Tensor&);
// The elements of a float constant of any width, widened.
std::vector<double> numbers_of(const Tensor&);
// The inverse of numbers_of for a float type: rounds once to `type`.
Tensor make_floats(DType type, std::vector<int64_t> dims, const std::vector<double>& values);

namespace ops {
class CustomOperators;
}

struct Graph;
using ValueId = int32_t;
using NodeId = int32_t;                  // position in Graph::nodes
inline constexpr ValueId kNoValue = -1;  // an absent optional input or output

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                               std::vector<std::string>, Tensor, std::shared_ptr<Graph>>;

struct Value {
  ValueId id;
  std::string name;                // from the model; only for messages, inputs and outputs
  std::optional<TensorType> type;  // set by shape inference
  std::optional<HostType> host;    // instead of `type`
  std::optional<Tensor> constant;  // initializers and folded values
  std::optional<Tensor> preset{};  // of an input that is a parameter: its value unless a session replaces it
  std::optional<std::vector<IndexExpr>>
      contents;          // known integer elements, for shape arithmetic (constants included if small)
  NodeId producer = -1;  // -1: graph input or constant
};

// The facts that the compiler has found about a node in addition to the model.
struct NodeFacts {
  // Bodies of If, Loop and Scan are closed: values that a body captures from the enclosing graph are further inputs
  // after the body's own, and the node has these values as further inputs after its own. For each body, by the name of
  // its attribute: the positions of its captured values among the node's inputs, in order.
  std::map<std::string, std::vector<int64_t>> captures;
  // The constant dimensions that the model declares for an output; operators whose output shape is known only at run
  // time use them.
  std::map<int, std::vector<int64_t>> declared;
  // Set if dimensions of the node's outputs are known only at run time: for each element of the result of the
  // operator's `resolve`, the symbol whose value it is, or "".
  std::optional<std::vector<std::string>> run_time_symbols;
  bool resolves = false;  // a copy of such a node, whose only output is the result of `resolve`
  bool appends = false;  // the caches of a GroupQueryAttention are states, so new positions follow those that there are
  bool on_host = false;  // the host runs the node although its operator has a lowering
  bool refused = false;  // a Refuse that replaces the rest of a branch, which inference refused
  bool hoisted = false;  // an If before which other nodes have already been moved

  bool operator==(const NodeFacts&) const = default;
};

struct Node {
  NodeId id;
  std::string name;        // from the model, or operator#index if the model has none
  std::string op, domain;  // domain "" is ONNX's own
  int opset;               // version of the domain that the model imports; operators look up since_version with it
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute> attributes;  // from the model; a body shares the index arena of its graph
  NodeFacts facts = {};

  // The positions that this body captures; empty if there is no entry.
  const std::vector<int64_t>& captures(const std::string& body) const;
};

// An output whose memory callers keep: it is the input with more positions, and both are one tensor (--state).
struct KeptOutput {
  size_t output, input;  // positions in the lists of the graph
  int64_t capacity;      // the positions for which there is memory
  bool operator==(const KeptOutput&) const = default;
};

struct Graph {
  std::string name;
  std::shared_ptr<IndexArena> index = std::make_shared<IndexArena>();
  std::vector<Value> values;
  std::vector<Node> nodes;  // topological order
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, int> opsets;  // domain -> version
  // Custom operators of this graph and all its bodies; null if there are none.
  std::shared_ptr<const ops::CustomOperators> custom_operators;
  std::vector<KeptOutput> states = {};  // of a model

  ValueId add_value(std::string name);
  ValueId add_constant(std::string name, Tensor);
  Node& add_node(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs, int opset);
  void number_nodes();  // after nodes were moved: ids become positions, and values record the ids of their producers
  Value& value(ValueId);
  const Value& value(ValueId) const;
};

// The bodies among a node's attributes, in the order of their names.
std::vector<std::shared_ptr<Graph>> bodies_of(const Node&);
// A deep copy, including all bodies.
Graph deep_copy(const Graph&);

// A name from a model for a message: quoted, with control characters escaped, and truncated if long.
std::string quoted(std::string_view name);

// InternalError if an invariant is violated: ids in range, one producer per value, definitions before uses, constants
// with a matching type and size, outputs defined.
void verify(const Graph&);

std::string to_string(const Graph&);
std::string to_string(const Shape&);       // [N, 3, 224]
std::string to_string(const TensorType&);  // float32[N, 3, 224]
std::string to_string(const HostType&);    // a sequence of float32 tensors

}  // namespace cppgen
