#include "bench/models/cut.h"

#include <fmt/format.h>

#include <map>

#include "bench/models/onnx_file.h"
#include "runtime/session/session.h"
#include "runtime/values/npy.h"

namespace cppgen::bench {
namespace {

using Types = std::map<std::string, onnx::TypeProto>;

std::vector<std::string> quantized_tensors(const onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const auto& n : graph.node())
    if (n.op_type() == "QuantizeLinear") names.push_back(n.output(0));
  return names;
}

onnx::TypeProto type_of(const rt::Tensor& bytes) {
  onnx::TypeProto type;
  auto& tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(bytes.type() == DType::i8 ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  for (int64_t d : bytes.dims()) tensor.mutable_shape()->add_dim()->set_dim_value(d);
  return type;
}

// The values of `names`, which are added to the outputs.
std::vector<rt::Tensor> run_with_outputs(onnx::ModelProto model, const std::vector<std::string>& names,
                                         const std::vector<std::string>& inputs, CompileRequest request) {
  model.mutable_graph()->clear_output();
  for (const std::string& name : names) model.mutable_graph()->add_output()->set_name(name);
  write_onnx(model, request.model);
  const CompiledModel compiled = compile_model(request);
  rt::Session session(rt::Executable::load(compiled.package, {compiled.trusted}));
  std::vector<rt::Tensor> tensors;
  for (const std::string& file : inputs) tensors.push_back(rt::read_npy(file));
  std::vector<rt::TensorView> views;
  for (const rt::Tensor& t : tensors) views.push_back(t.view());
  return session.run(views);
}

// Readers of the named tensor read a new input, and the tensor is an output.
void cut(onnx::GraphProto& graph, const std::string& name, const onnx::TypeProto& type) {
  const std::string given = name + "//given";
  for (auto& n : *graph.mutable_node())
    for (std::string& in : *n.mutable_input())
      if (in == name) in = given;
  for (auto* list : {graph.mutable_input(), graph.mutable_output()}) {
    auto& value = *list->Add();
    value.set_name(list == graph.mutable_input() ? given : name);
    *value.mutable_type() = type;
  }
}

}  // namespace

CutModel cut_model(const CompileRequest& request, const std::vector<std::string>& inputs, const std::string& folder) {
  onnx::ModelProto model = read_onnx(request.model);
  const std::vector<std::string> names = quantized_tensors(model.graph());
  CutModel result{folder + "/cut.onnx", inputs};
  CompileRequest whole = request;
  whole.model = result.path;
  const std::vector<rt::Tensor> bytes = run_with_outputs(model, names, inputs, whole);
  for (size_t i = 0; i < names.size(); i++) {
    result.inputs.push_back(fmt::format("{}/cut{}.npy", folder, i));
    rt::write_npy(result.inputs.back(), bytes[i].view());
    cut(*model.mutable_graph(), names[i], type_of(bytes[i]));
  }
  write_onnx(model, result.path);
  return result;
}

}  // namespace cppgen::bench
