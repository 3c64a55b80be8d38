#pragma once
#include <string>
#include <vector>

#include "tests/import/model_maker.h"

namespace cppgen {

// A function of the model under construction, in the domain "f".
struct FunctionMaker {
  onnx::FunctionProto& proto;

  FunctionMaker(ModelMaker& m, const std::string& name, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs, int opset = 17)
      : proto(*m.model.add_functions()) {
    proto.set_domain("f");
    proto.set_name(name);
    for (const auto& i : inputs) proto.add_input(i);
    for (const auto& o : outputs) proto.add_output(o);
    proto.add_opset_import()->set_version(opset);
  }
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& in, const std::vector<std::string>& out,
                        const std::string& name = "") {
    auto& n = *proto.add_node();
    n.set_op_type(op);
    n.set_name(name);
    for (const auto& i : in) n.add_input(i);
    for (const auto& o : out) n.add_output(o);
    return n;
  }
  onnx::NodeProto& call(const std::string& function, const std::vector<std::string>& in,
                        const std::vector<std::string>& out, const std::string& name = "") {
    auto& n = node(function, in, out, name);
    n.set_domain("f");
    return n;
  }
  // `attribute_proto` and `overload`, which the protobuf schema of an older ONNX does not have.
  void add_default(const onnx::AttributeProto& a) {
    proto.GetReflection()->MutableUnknownFields(&proto)->AddLengthDelimited(11, a.SerializeAsString());
  }
  void set_overload(const std::string& overload) {
    proto.GetReflection()->MutableUnknownFields(&proto)->AddLengthDelimited(13, overload);
  }
};

inline onnx::NodeProto& call_function(ModelMaker& m, const std::string& function, const std::vector<std::string>& in,
                                      const std::vector<std::string>& out, const std::string& name = "") {
  auto& n = m.node(function, in, out, name);
  n.set_domain("f");
  return n;
}

inline onnx::AttributeProto integer_attribute(const std::string& name, int64_t value) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
  return a;
}

inline void refer(onnx::NodeProto& node, const std::string& attribute, const std::string& to,
                  onnx::AttributeProto::AttributeType type = onnx::AttributeProto::INT) {
  auto& a = *node.add_attribute();
  a.set_name(attribute);
  a.set_type(type);
  a.set_ref_attr_name(to);
}

inline onnx::GraphProto& body_attribute(onnx::NodeProto& node, const std::string& name) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->set_name(name);
  return *a.mutable_g();
}

}  // namespace cppgen
