#pragma once
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <thread>

#include "cppgen/import/import.h"
#include "runtime/base/errors.h"

namespace cppgen {

// Small models for tests, made with protobuf itself.
struct ModelMaker {
  onnx::ModelProto model;
  onnx::GraphProto& graph;

  explicit ModelMaker(int opset = 17) : graph(*model.mutable_graph()) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    graph.set_name("g");
  }

  // Dimensions: numbers, names, or "?".
  static void set_type(onnx::ValueInfoProto& v, const std::string& name, const std::vector<std::string>& dims,
                       int type = onnx::TensorProto::FLOAT) {
    v.set_name(name);
    auto* tensor = v.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const std::string& d : dims) {
      auto* dim = tensor->mutable_shape()->add_dim();
      if (d == "?") continue;
      if (d[0] == '-' || (d[0] >= '0' && d[0] <= '9'))
        dim->set_dim_value(std::stoll(d));
      else
        dim->set_dim_param(d);
    }
  }
  ModelMaker& input(const std::string& name, const std::vector<std::string>& dims,
                    int type = onnx::TensorProto::FLOAT) {
    set_type(*graph.add_input(), name, dims, type);
    return *this;
  }
  ModelMaker& output(const std::string& name) {
    graph.add_output()->set_name(name);
    return *this;
  }
  static onnx::NodeProto& add_node(onnx::GraphProto& g, const std::string& op, const std::vector<std::string>& in,
                                   const std::vector<std::string>& out, const std::string& name = "") {
    auto& n = *g.add_node();
    n.set_op_type(op);
    if (!name.empty()) n.set_name(name);
    for (auto& i : in) n.add_input(i);
    for (auto& o : out) n.add_output(o);
    return n;
  }
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& in, const std::vector<std::string>& out,
                        const std::string& name = "") {
    return add_node(graph, op, in, out, name);
  }
  // A body of the node that has one output.
  static onnx::GraphProto& add_body(onnx::NodeProto& node, const std::string& name, const std::string& output) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name(name);
    attribute.mutable_g()->add_output()->set_name(output);
    return *attribute.mutable_g();
  }
  // An If of "c" that computes `output` from x by Exp or Neg, whose nodes have the branches' names after this prefix.
  void choice(const std::string& output, const std::string& prefix) {
    auto& choice = node("If", {"c"}, {output}, "choice");
    for (const auto& [op, branch] : {std::pair("Exp", "then_branch"), std::pair("Neg", "else_branch")})
      add_node(add_body(choice, branch, "r"), op, {"x"}, {"r"}, prefix + branch);
  }
  onnx::TensorProto& initializer(const std::string& name, const std::vector<int64_t>& dims, int type) {
    auto& t = *graph.add_initializer();
    t.set_name(name);
    t.set_data_type(type);
    for (int64_t d : dims) t.add_dims(d);
    return t;
  }

  std::string bytes() const { return model.SerializeAsString(); }
  Graph import(const std::vector<std::string>& dim_options = {}, const std::string& folder = "") const {
    ImportOptions options;
    for (auto& text : dim_options) options.dims.push_back(parse_dim_option(text));
    std::string data = bytes();
    return import_onnx_bytes(std::as_bytes(std::span(data)), folder, options, "m.onnx");
  }
};

// The message of the UserError that `act` must throw.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& e) {
    return e.what();
  }
  ADD_FAILURE() << "no UserError";
  return "";
}
inline std::string error_of(const ModelMaker& m, const std::vector<std::string>& dim_options = {}) {
  return error_of([&] { m.import(dim_options); });
}

// A folder that goes away with the test.
struct TempFolder {
  std::filesystem::path path;
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cppgen_import_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  // Compilers of programs that a test has killed may write for another moment.
  ~TempFolder() {
    std::error_code error;
    for (int i = 0; i < 200; i++) {
      std::filesystem::remove_all(path, error);
      if (!error) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << content;
    return (path / name).string();
  }
};

}  // namespace cppgen
