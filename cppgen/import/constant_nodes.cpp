// Constant nodes: values, not nodes, of the graph.
#include "cppgen/import/attributes.h"
#include "cppgen/import/graph_builder.h"
#include "runtime/base/errors.h"

namespace cppgen::import {

// Constant strings are the result of a node, because kernels cannot hold them as data.
ValueId GraphBuilder::add_strings(const std::string& name, const Strings& strings) {
  const ValueId id = graph_.add_value(name);
  Node& node = graph_.add_node("StringConstant", {}, {id}, 1);
  node.domain = "cppgen";
  node.attributes["dims"] = strings.dims;
  node.attributes["elements"] = strings.elements;
  return id;
}

// Importing takes the data out of the node, so what several calls share is kept.
Tensor GraphBuilder::constant_tensor(onnx::NodeProto& proto, SharedConstants* shared) {
  if (!shared) return constant_of(proto, context_.files);
  if (const auto known = shared->find(&proto); known != shared->end()) return known->second;
  return shared->emplace(&proto, constant_of(proto, context_.files)).first->second;
}

bool GraphBuilder::is_constant(const onnx::NodeProto& proto) {
  return proto.op_type() == "Constant" && normal_domain(proto.domain()).empty() && !context_.functions.find(proto);
}

void GraphBuilder::add_constant_node(onnx::NodeProto& proto, SharedConstants* shared) {
  if (proto.output_size() != 1 || proto.output(0).empty()) user_error("a Constant must have one output");
  if (proto.input_size()) user_error("a Constant must not have inputs");
  if (proto.attribute_size() == 1) {
    const onnx::AttributeProto& a = proto.attribute(0);
    std::optional<Strings> strings;
    if (a.name() == "value" && a.has_t()) strings = strings_of(a.t());
    if (a.name() == "value_string") strings = Strings{{}, {a.s()}};
    if (a.name() == "value_strings") strings = Strings{{a.strings_size()}, {a.strings().begin(), a.strings().end()}};
    if (strings) return define(proto.output(0), add_strings(full_name(proto.output(0)), *strings));
  }
  define(proto.output(0), graph_.add_constant(full_name(proto.output(0)), constant_tensor(proto, shared)));
}

}  // namespace cppgen::import
