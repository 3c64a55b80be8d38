#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/ops/attributes.h"
#include "runtime/base/errors.h"
#include "runtime/plan/module.h"

namespace cppgen::ops {

// Domains of several families of operators; ONNX's own is empty.
inline constexpr const char *kMicrosoftDomain = "com.microsoft", *kLearnersDomain = "ai.onnx.ml";

// Contents are only known of tensors with at most so many elements.
inline constexpr int64_t kMaxKnownElements = 1024;

// Thrown if dimensions that a node requires to be equal are not, or not for all values of their symbols.
struct UnequalDimensions : UserError {
  UnequalDimensions(const std::string& what, IndexExpr a, IndexExpr b, bool in_body = false)
      : UserError(what), a(a), b(b), in_body(in_body) {}
  IndexExpr a, b;
  bool in_body;  // of a node that may never run
};

// Thrown for what no sizes could cure: unknown operators, wrong element types, missing inputs and attributes.
struct InvalidNode : UserError {
  using UserError::UserError;
};

using PartialShape = std::vector<std::optional<IndexExpr>>;  // without those that are known only at run time

using ComparedDims = std::vector<std::pair<IndexExpr, IndexExpr>>;

// Infers the types of a body whose inputs are typed.
using InferBody = std::function<void(Graph&)>;

struct Op;

// The view that an operator has of its node during type inference. `fail` throws a UserError that names the node.
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
  const HostType* host(int) const;     // null unless the input is present and not a tensor of known rank
  const Shape& shape(int i) const { return input(i).shape; }
  DType dtype(int i) const { return input(i).dtype; }
  // The elements of an integer input, if known (constants, or expressions from shape arithmetic).
  const std::vector<IndexExpr>* contents(int) const;
  // Returns the values, which must all be constant; UserError "… must be constant" otherwise.
  std::vector<int64_t> constant_ints(int) const;
  const Tensor* constant(int) const;  // null unless the input is a constant tensor
  // A symbol for dimension `d` of an output that is known only at run time: the existing one, or a new one.
  IndexExpr unknown_dimension(int output, size_t d, const std::string& hint);
  const Op* row() const;     // the operator's, null if there is none
  bool can_resolve() const;  // the operator has a `resolve`
  // Symbols for the dimensions that are not given, which the operator's `resolve` computes at run time.
  Shape resolved_dimensions(int output, const PartialShape&);
  // The symbol of element `k` of the result of `resolve`: the one that the node has recorded, or a new one; and
  // recording them.
  IndexExpr resolved_symbol(size_t k, const std::string& hint);
  void note_resolved(const std::vector<IndexExpr>&);  // elements that are not fresh symbols are known
  // Records dimensions that must be equal, which is checked at run time.
  void compare_in_run(IndexExpr, IndexExpr);
  // Records whether the host runs this node although it has a lowering.
  void run_on_host(bool host = true);

  // Attributes; if absent, the two-argument forms return the default and the one-argument forms fail.
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
  // The body in an attribute; and its typed form, as a new graph in the attribute.
  const Graph& body(const std::string& attribute) const;
  Graph& infer_body(const std::string& attribute, const std::function<void(Graph&)>& set_inputs);
  void set_body(const std::string& attribute, Attribute graph);
  const std::vector<int64_t>& captures(const std::string& body) const { return node_.captures(body); }
  const Value& input_value(int) const;  // UserError if the input is absent
  bool is_produced_by(int input, std::string_view op) const;
  const Tensor* fill(int input) const;  // the one element of a ConstantOfShape that computes the input, else null
  void set_contents(int, std::vector<IndexExpr>);  // elements of an integer output that depend only on shapes
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_invalid(const std::string& what) const;                        // throws InvalidNode
  [[noreturn]] void fail_unequal(IndexExpr, IndexExpr, const std::string& what) const;  // throws UnequalDimensions

 protected:
  std::string message(const std::string& what) const;

  Graph& graph_;
  const Node& node_;
  const InferBody* infer_body_ = nullptr;
  ComparedDims* compared_ = nullptr;

  friend ComparedDims compared_in_run(Graph&, NodeId);
};

// The index of an operand of this extent for an index of the result of broadcasting: 0 in a dimension that is 1, even
// if only a run finds it to be 1.
IndexExpr broadcast_index(IndexExpr at, IndexExpr extent);

// The view that an operator has of its node during lowering: types are known, buffers exist, statements are appended.
class LowerContext : public InferContext {
 public:
  // Returns the buffer of a value, creating it if needed.
  using BufferOf = std::function<ir::BufferId(ValueId)>;

  LowerContext(Graph& graph, const Node& node, ir::Program& program, BufferOf buffer_of, bool uses_library = false)
      : InferContext(graph, node), program_(program), buffer_of_(std::move(buffer_of)), uses_library_(uses_library) {}

  // Returns whether a call of the runtime's library may replace the loops that define the operator.
  bool uses_library() const { return uses_library_; }
  ir::Program& program() { return program_; }
  ir::ExprArena& exprs() { return *program_.exprs; }
  ir::BufferId input_buffer(int) const;  // call only if the elements are read: constants are created on demand
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

// The number of inputs of an operator.
inline constexpr int kAny = -1;
struct Count {
  constexpr Count(int exactly) : least(exactly), most(exactly) {}
  constexpr Count(int least, int most) : least(least), most(most) {}
  int least, most;  // kAny: no maximum
};

// The element types that an operator takes.
enum class Elements : uint8_t {
  numbers,  // booleans and numbers, except those of narrow types
  narrow,   // narrow types (is_narrow), too: for operators that convert or move elements
  strings,  // strings, too, as handles (graph/string_elements.h): for operators that only move elements
  any,      // all of these
};
constexpr bool takes_narrow(Elements e) { return e == Elements::narrow || e == Elements::any; }
constexpr bool takes_strings(Elements e) { return e == Elements::strings || e == Elements::any; }

using InferFunction = void (*)(InferContext&);
using LowerFunction = void (*)(LowerContext&);
using ResolveFunction = void (*)(LowerContext&, ir::BufferId dims);
using HostFunction = rt::HostStep (*)(InferContext&);
using RefuseFunction = std::string (*)(const Graph&, const Node&);

// One row of the operator table: everything specific to an operator, for all or some of its versions.
struct Op {
  std::string_view name, domain = "";  // literals; "" is ONNX's own domain
  std::vector<Version>
      versions;  // ascending; lookup selects the row with the last version that does not exceed the model's
  Count inputs;
  int outputs = 1;  // maximum number; kAny
  // The elements of all inputs and outputs. Those of a node that runs on the host may also be strings.
  Elements elements = Elements::numbers;
  InferFunction infer;
  LowerFunction lower = nullptr;
  // Stores the dimensions that are known only at run time into an int64 vector, computed from the inputs: see
  // NodeFacts::run_time_symbols. -1 if the inputs do not match.
  ResolveFunction resolve = nullptr;
  // Operators on whole values have a host step for this node, without slots. If `lower` is also set, it is used for
  // values that are not tensors of known rank, such as strings.
  HostFunction host = nullptr;
  // "" if the node can be compiled, else the reason (unsupported attributes or dtypes); called before inference.
  RefuseFunction refuse = nullptr;
  const CustomOperator* custom = nullptr;  // the user's description; the functions above serve all custom operators
};

bool is_host(const Graph&, const Node&);  // runs as a host step

const std::vector<Op>& table();  // every row, all families, sorted by domain, name and first version
const Op* find(const std::string& domain, const std::string& name, int opset);

// Custom operators, in addition to those of the table, with which they have no domain in common.
class CustomOperators {
 public:
  // UserError if two rows are overlapping versions of one operator. `keep` owns the texts of the rows.
  CustomOperators(std::vector<Op> rows, std::shared_ptr<const void> keep);
  const std::vector<Op>& rows() const { return rows_; }

 private:
  std::vector<Op> rows_;  // sorted like the table
  std::shared_ptr<const void> keep_;
};

// The row of a node of this graph: one of the table, or of the graph's custom operators; null if there is none.
const Op* find(const Graph&, const Node&);

struct RefusedNode {
  std::string name, op;  // "domain.Op"
  int opset = 0;
  std::string reason;
};
struct UnsupportedNodes : UserError {
  UnsupportedNodes(std::vector<RefusedNode>, size_t nodes_of_model);
  std::vector<RefusedNode> nodes;
};

// Throws UnsupportedNodes with all nodes that cannot be compiled, those in bodies included.
void check_supported(const Graph&);

// Infers the type (and, for shape arithmetic, the contents) of every output of one node.
void infer_node(Graph&, NodeId, const InferBody&);
void infer_node(Graph&, NodeId);  // bodies by infer_types
void infer_types(Graph&);

// Dimensions of a node's inputs whose equality can be checked only at run time; the node must not run before they have
// been compared.
ComparedDims compared_in_run(Graph&, NodeId);
bool compares_in_run(const Graph&);  // whether any node has such dimensions; bodies are ignored

// `library`: operators with a faster algorithm in the runtime's library become library calls. Otherwise all are loops,
// which define their meaning.
struct LowerOptions {
  bool library = false;
};

// Lowers a whole typed graph. Values whose contents are known (shape arithmetic) are stored directly where they are
// read, and the nodes that compute them are omitted.
ir::Program lower(Graph&, const LowerOptions& = {});
// Lowers a body into the enclosing program, given a buffer for each of its inputs, or -1 for inputs whose contents are
// known. Returns the buffers of its outputs.
std::vector<ir::BufferId> lower_body(Graph& body, ir::Program&, const std::vector<ir::BufferId>& inputs,
                                     const LowerOptions& = {});
// Lowers a single node: its inputs become the program's inputs (constants stay constants if `keep_constants`): each
// distinct one, in order of first use.
ir::Program lower_node(Graph&, NodeId, bool keep_constants = true);

}  // namespace cppgen::ops
