#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/program.h"
#include "cppgen/ops/attributes.h"
#include "runtime/base/errors.h"
#include "runtime/plan/module.h"

namespace cppgen::ops {

// Dimensions that a node needs to be equal and that are not, or not for all values of their symbols.
struct UnequalDimensions : UserError {
  UnequalDimensions(const std::string& what, IndexExpr a, IndexExpr b, bool in_body = false)
      : UserError(what), a(a), b(b), in_body(in_body) {}
  IndexExpr a, b;
  bool in_body;  // of a node that may never run
};

using PartialShape = std::vector<std::optional<IndexExpr>>;  // without those that only a run knows

using ComparedDims = std::vector<std::pair<IndexExpr, IndexExpr>>;

// Infers the types of a body whose inputs are typed.
using InferBody = std::function<void(Graph&)>;

struct Op;

// What an operator sees of its node while types are inferred. `fail` throws a UserError that names the node.
class InferContext {
 public:
  InferContext(Graph& graph, const Node& node) : graph_(graph), node_(node) {}
  InferContext(Graph& graph, const Node& node, const InferBody& infer_body)
      : graph_(graph), node_(node), infer_body_(&infer_body) {}

  const Node& node() const { return node_; }
  int opset() const { return node_.opset; }
  IndexArena& index() { return *graph_.index; }
  int input_count() const { return int(node_.inputs.size()); }
  int output_count() const { return int(node_.outputs.size()); }
  bool has_input(int) const;
  bool has_output(int) const;
  const TensorType& input(int) const;  // UserError if the input is absent
  const HostType* host(int) const;     // null unless the input is there and no tensor of known rank
  const Shape& shape(int i) const { return input(i).shape; }
  DType dtype(int i) const { return input(i).dtype; }
  // The elements of an integer input, when known (constants, or shape arithmetic that gave expressions).
  const std::vector<IndexExpr>* contents(int) const;
  // The same, all constant; UserError "… must be constant" otherwise.
  std::vector<int64_t> constant_ints(int) const;
  const Tensor* constant(int) const;  // null unless the input is a constant tensor
  // A symbol for dimension `d` of an output that only a run knows: the one that it has, or a new one.
  IndexExpr unknown_dimension(int output, size_t d, const std::string& hint);
  const Op* row() const;     // the operator's, null if there is none
  bool can_resolve() const;  // the operator has a `resolve`
  // Symbols for the dimensions that are not given, noted as such that the operator's `resolve` computes in a run.
  Shape resolved_dimensions(int output, const PartialShape&);
  // The symbol of element `k` of what `resolve` gives: the one that the node has noted, or a new one; and noting them.
  IndexExpr resolved_symbol(size_t k, const std::string& hint);
  void note_resolved(const std::vector<IndexExpr>&);  // elements that are no fresh symbols are known
  // Dimensions that must be equal, which only a run can tell.
  void compare_in_run(IndexExpr, IndexExpr);
  // Notes whether the host runs this node, though there is a lowering.
  void run_on_host(bool host = true);

  // Attributes; the two-argument forms give the default if absent, the one-argument forms fail.
  bool has(const std::string& name) const;
  int64_t integer(const std::string& name) const;
  int64_t integer(const std::string& name, int64_t otherwise) const;
  float number(const std::string& name, float otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::vector<int64_t> integers(const std::string& name) const;
  std::vector<int64_t> integers(const std::string& name, std::vector<int64_t> otherwise) const;
  const Attribute* attribute(const std::string& name) const;

  void set_output(int, DType, Shape);
  void set_host_output(int, HostType);
  // The body in an attribute; and the same typed, as a new graph in the attribute.
  const Graph& body(const std::string& attribute) const;
  Graph& infer_body(const std::string& attribute, const std::function<void(Graph&)>& set_inputs);
  void set_body(const std::string& attribute, Attribute graph);
  const std::vector<int64_t>& captures(const std::string& body) const { return node_.captures(body); }
  const Value& input_value(int) const;  // UserError if the input is absent
  bool is_produced_by(int input, std::string_view op) const;
  void set_contents(int, std::vector<IndexExpr>);  // of an integer output, where the shapes alone decide them
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_unequal(IndexExpr, IndexExpr, const std::string& what) const;  // throws UnequalDimensions

 protected:
  std::string message(const std::string& what) const;

  Graph& graph_;
  const Node& node_;
  const InferBody* infer_body_ = nullptr;
  ComparedDims* compared_ = nullptr;

  friend ComparedDims compared_in_run(Graph&, NodeId);
};

// What an operator sees while it is lowered: types are known, buffers exist, statements are appended.
class LowerContext : public InferContext {
 public:
  // Gives the buffer of a value, creating it if need be.
  using BufferOf = std::function<ir::BufferId(ValueId)>;

  LowerContext(Graph& graph, const Node& node, ir::Program& program, BufferOf buffer_of, bool uses_library = false)
      : InferContext(graph, node), program_(program), buffer_of_(std::move(buffer_of)), uses_library_(uses_library) {}

  // Whether a call of the runtime's library may stand for the loops that are the operator's meaning.
  bool uses_library() const { return uses_library_; }
  ir::Program& program() { return program_; }
  ir::ExprArena& exprs() { return *program_.exprs; }
  ir::BufferId input_buffer(int) const;  // asked for only if the elements are read: constants exist on demand
  ir::BufferId output_buffer(int) const;
  const TensorType& output(int) const;
  ir::BufferId temporary(DType, Shape);
  ir::BufferId constant_buffer(Tensor);

  // Loops over a shape, outermost first, and their variables as indices.
  std::vector<ir::Loop> loops(const Shape&, const std::string& prefix = "i");
  static std::vector<IndexExpr> indices(const std::vector<ir::Loop>&);
  ir::Expr load(ir::BufferId, std::vector<IndexExpr> indices);
  // Loads input `i` at an index of the broadcast output shape (right-aligned, extent 1 repeats).
  ir::Expr load_broadcast(int i, const std::vector<IndexExpr>& output_index);
  // Appends a nest; sets its origin (the node) and prefixes its name with the operator's: "softmax", "softmax_max".
  void emit(ir::LoopNest);
  void emit(ir::LibraryCall);
  // Appends a repetition of what `body` emits; sets its origin.
  void repeat(ir::Repetition, const std::function<void()>& body);
  // output[index] = value(index) for every element; `name` as for emit.
  using ValueAt = std::function<ir::Expr(const std::vector<IndexExpr>&)>;
  void emit_pointwise(ir::BufferId output, const ValueAt& value, const std::string& name = "");

 private:
  ir::Program& program_;
  BufferOf buffer_of_;
  bool uses_library_;
};

class CustomOperator;

// How many inputs an operator has.
inline constexpr int kAny = -1;
struct Count {
  constexpr Count(int exactly) : least(exactly), most(exactly) {}
  constexpr Count(int least, int most) : least(least), most(most) {}
  int least, most;  // kAny: there is no greatest number
};

using InferFunction = void (*)(InferContext&);
using LowerFunction = void (*)(LowerContext&);
using ResolveFunction = void (*)(LowerContext&, ir::BufferId dims);
using HostFunction = rt::HostStep (*)(InferContext&);
using RefuseFunction = std::string (*)(const Graph&, const Node&);

// One row of the operator table: all that is special to an operator, for all its versions or for some of them.
struct Op {
  std::string_view name, domain = "";  // literals; "" is ONNX's own domain
  std::vector<Version> versions;  // ascending; lookup takes the row with the last version that is not after the model's
  Count inputs;
  int outputs = 1;  // at most; kAny
  InferFunction infer;
  LowerFunction lower = nullptr;
  // Stores into an int64 vector the dimensions that only a run knows, from the inputs alone: see
  // NodeFacts::run_time_symbols. -1 if the inputs do not fit.
  ResolveFunction resolve = nullptr;
  // Operators on whole values: what the host does for this node, without slots. With `lower` it is for values that are
  // no tensors of known rank, such as strings.
  HostFunction host = nullptr;
  // "" if the node can be compiled, else why not (attributes or dtypes that are not supported), before any inference.
  RefuseFunction refuse = nullptr;
  const CustomOperator* custom = nullptr;  // what the user describes: the functions above serve all such operators
};

bool is_host(const Graph&, const Node&);  // runs as a step of the host

const std::vector<Op>& table();  // every row, all families, sorted by domain, name and first version
const Op* find(const std::string& domain, const std::string& name, int opset);

// Operators that the user describes, beside those of the table; they have no domain in common with it.
class CustomOperators {
 public:
  // UserError if two rows are versions of one operator and overlap. `keep` holds the texts of the rows.
  CustomOperators(std::vector<Op> rows, std::shared_ptr<const void> keep);
  const std::vector<Op>& rows() const { return rows_; }

 private:
  std::vector<Op> rows_;  // sorted as the table is
  std::shared_ptr<const void> keep_;
};

// The row of a node of this graph: one of the table, or of the graph's custom operators; null if there is none.
const Op* find(const Graph&, const Node&);

// All nodes that cannot be compiled at once: UserError listing each with name, operator, opset and reason.
void check_supported(const Graph&);

// Infers the type (and, for shape arithmetic, the contents) of every output of one node.
void infer_node(Graph&, NodeId, const InferBody&);
void infer_node(Graph&, NodeId);  // bodies by infer_types
void infer_types(Graph&);

// Dimensions of a node's inputs that only a run can find equal; the node must not run before they were compared.
ComparedDims compared_in_run(Graph&, NodeId);
bool compares_in_run(const Graph&);  // whether any node has such; bodies are left aside

// `library`: operators that the runtime's library has a faster way for are calls of it. Without it all are loops, which
// is their meaning.
struct LowerOptions {
  bool library = false;
};

// Lowers a whole typed graph. Values whose contents are known (shape arithmetic) are stored directly where they are
// read, and the nodes that compute them are left out.
ir::Program lower(Graph&, const LowerOptions& = {});
// Lowers a body into the program around it; a buffer for each of its inputs, -1 for those whose contents are known.
// Returns the buffers of its outputs.
std::vector<ir::BufferId> lower_body(Graph& body, ir::Program&, const std::vector<ir::BufferId>& inputs,
                                     const LowerOptions& = {});
// Lowers one node alone: its inputs become the program's inputs (constants stay constants if `keep_constants`): each
// distinct one, in order of first use.
ir::Program lower_node(Graph&, NodeId, bool keep_constants = true);

}  // namespace cppgen::ops
