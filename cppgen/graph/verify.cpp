#include "cppgen/graph/graph.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.values.size()) {}

  void run() {
    if (!graph_.index) fail("has no index arena");
    for (size_t i = 0; i < graph_.values.size(); i++) check_value(i);
    for (ValueId in : graph_.inputs) {
      check_id(in, "graph inputs");
      const Value& v = graph_.value(in);
      if (v.constant || v.producer != -1) fail("input {} is also a constant or a node's output", label(in));
      define(in);
    }
    for (size_t i = 0; i < graph_.nodes.size(); i++) check_node(i);
    for (ValueId out : graph_.outputs) {
      check_id(out, "graph outputs");
      if (!defined_[size_t(out)]) fail("output {} is not defined", label(out));
    }
    for (const KeptOutput& state : graph_.states)
      if (state.output >= graph_.outputs.size() || state.input >= graph_.inputs.size())
        fail("a state has the output {} and the input {}, but there are {} and {}", state.output, state.input,
             graph_.outputs.size(), graph_.inputs.size());
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    internal_error("graph {}: {}", quoted(graph_.name), fmt::format(format, std::forward<Args>(args)...));
  }

  std::string label(ValueId id) const { return fmt::format("%{} {}", id, quoted(graph_.values[size_t(id)].name)); }

  void check_id(ValueId id, std::string_view where) const {
    if (id < 0 || size_t(id) >= graph_.values.size()) fail("{}: value %{} does not exist", where, id);
  }

  void define(ValueId id) {
    if (defined_[size_t(id)]) fail("{} is defined twice", label(id));
    defined_[size_t(id)] = true;
  }

  void check_value(size_t i) {
    const Value& v = graph_.values[i];
    if (v.id != ValueId(i)) fail("the value at position {} has id {}", i, v.id);
    if (v.producer < -1 || v.producer >= NodeId(graph_.nodes.size())) fail("{} has no such producer", label(v.id));
    if (v.constant) {
      if (v.producer != -1) fail("constant {} has a producer", label(v.id));
      check_constant(v);
      define(v.id);
    }
    if (v.contents && v.type) check_contents(v);
  }

  void check_constant(const Value& v) const {
    const Tensor& t = *v.constant;
    for (int64_t d : t.dims)
      if (d < 0) fail("constant {} has a negative dimension", label(v.id));
    if (size_t(t.elements()) * size_of(t.dtype) != t.data.size)
      fail("constant {}: the data's size does not match the dimensions", label(v.id));
    if (t.data.size && !t.data.bytes) fail("constant {} has no data", label(v.id));
    if (!v.type || *v.type != TensorType{t.dtype, Shape(t.dims.begin(), t.dims.end())})
      fail("constant {} does not match its type", label(v.id));
  }

  void check_contents(const Value& v) const {
    IndexExpr elements = 1;
    for (const IndexExpr& d : v.type->shape) elements = elements * d;
    if (elements.is_constant() && elements.constant() != int64_t(v.contents->size()))
      fail("{} has type {} but {} known elements", label(v.id), to_string(*v.type), v.contents->size());
  }

  void check_node(size_t i) {
    const Node& node = graph_.nodes[i];
    if (node.id != NodeId(i)) fail("the node at position {} has id {}", i, node.id);
    if (node.op.empty()) fail("node {} has no operator", quoted(node.name));
    for (ValueId in : node.inputs) {
      if (in == kNoValue) continue;
      check_id(in, node.name);
      if (!defined_[size_t(in)]) fail("node {} uses {} before its definition", quoted(node.name), label(in));
    }
    for (ValueId out : node.outputs) {
      if (out == kNoValue) continue;
      check_id(out, node.name);
      if (graph_.value(out).producer != node.id)
        fail("{} is an output of {} but records another producer", label(out), quoted(node.name));
      define(out);
    }
    for (const auto& [name, attribute] : node.attributes)
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) check_body(node, name, *body);
    check_facts(node);
  }

  void check_facts(const Node& node) const {
    for (const auto& [body, positions] : node.facts.captures) {
      const auto attribute = node.attributes.find(body);
      if (attribute == node.attributes.end() || !std::holds_alternative<std::shared_ptr<Graph>>(attribute->second))
        fail("node {}: captures of {}, which is not a body", quoted(node.name), body);
    }
    for (const auto& [output, dims] : node.facts.declared) {
      if (output < 0) fail("node {}: dimensions of output {} are declared", quoted(node.name), output);
      for (int64_t d : dims)
        if (d < 0) fail("node {}: output {} is declared with a negative dimension", quoted(node.name), output);
    }
  }

  void check_body(const Node& node, const std::string& name, const std::shared_ptr<Graph>& body) const {
    if (!body || body->index != graph_.index)
      fail("node {}: body {} is absent or has its own arena", quoted(node.name), name);
    if (body->custom_operators != graph_.custom_operators)
      fail("node {}: body {} has different custom operators", quoted(node.name), name);
    const std::vector<int64_t>& positions = node.captures(name);
    if (positions.size() > body->inputs.size())
      fail("node {}: {} captures of {}, which has {} inputs", quoted(node.name), positions.size(), name,
           body->inputs.size());
    for (int64_t p : positions)
      if (p < 0 || size_t(p) >= node.inputs.size())
        fail("node {}: a capture of {} out of range", quoted(node.name), name);
    verify(*body);
  }

  const Graph& graph_;
  std::vector<bool> defined_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace cppgen
