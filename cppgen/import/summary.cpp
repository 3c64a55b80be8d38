#include "cppgen/import/summary.h"

#include <algorithm>
#include <functional>

#include "cppgen/import/graph_builder.h"
#include "cppgen/import/import.h"
#include "cppgen/import/maps.h"
#include "cppgen/import/tensors.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace import {
namespace {

ModelSummary::Tensor summarize(const onnx::ValueInfoProto& v) {
  ModelSummary::Tensor t{v.name(), "", false, {}};
  switch (v.type().value_case()) {
    case onnx::TypeProto::kTensorType:
      t.type = elem_type_name(v.type().tensor_type().elem_type());
      break;
    case onnx::TypeProto::kSequenceType:
      t.type = "sequence";
      break;
    case onnx::TypeProto::kOptionalType:
      t.type = "optional";
      break;
    case onnx::TypeProto::kMapType:
      t.type = "map";
      break;
    case onnx::TypeProto::kSparseTensorType:
      t.type = "sparse tensor";
      break;
    default:
      t.type = "unknown";
  }
  t.has_shape = v.type().tensor_type().has_shape();
  for (const auto& dim : v.type().tensor_type().shape().dim())
    t.dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                     : dim.dim_param().empty() ? "?"
                                               : dim.dim_param());
  return t;
}

class Counter {
 public:
  explicit Counter(ModelSummary& summary) : summary_(summary) {}

  void graph(const onnx::GraphProto& graph, int depth = 0) {
    if (depth > kMaxGraphNesting) user_error("bodies are nested more than {} levels deep", kMaxGraphNesting);
    for (const auto& t : graph.initializer()) tensor(t);
    nodes(graph.node(), depth);
  }

  void nodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& all, int depth = 0) {
    for (const auto& node : all) {
      std::string domain = normal_domain(node.domain());
      summary_.operators[domain.empty() ? node.op_type() : domain + "." + node.op_type()]++;
      summary_.nodes++;
      for (const auto& a : node.attribute()) {
        if (a.has_t()) tensor(a.t());
        if (node.op_type() == "Cast" && a.name() == "to") note_type(int32_t(a.i()));
        if (a.has_g()) this->graph(a.g(), depth + 1);
      }
    }
  }

 private:
  void note_type(int32_t elem_type) {
    if (elem_type == onnx::TensorProto::BFLOAT16) summary_.narrow_floats = DType::bf16;
    if (elem_type == onnx::TensorProto::FLOAT16 && !summary_.narrow_floats) summary_.narrow_floats = DType::f16;
  }

  void tensor(const onnx::TensorProto& t) {
    note_type(t.data_type());
    std::vector<int64_t> dims(t.dims().begin(), t.dims().end());
    // Sizes only: elements of an unknown type count as one byte.
    auto type = dtype_of(t.data_type());
    int64_t elements = tensor_bytes(DType::u8, dims);
    summary_.parameters = add(summary_.parameters, elements);
    summary_.parameter_bytes = add(summary_.parameter_bytes, type ? tensor_bytes(*type, dims) : elements);
    if (t.data_location() != onnx::TensorProto::EXTERNAL) return;
    auto& files = summary_.external_files;
    for (const auto& entry : t.external_data())
      if (entry.key() == "location" && std::find(files.begin(), files.end(), entry.value()) == files.end())
        files.push_back(entry.value());
  }

  static int64_t add(int64_t a, int64_t b) {
    if (__builtin_add_overflow(a, b, &a)) user_error("the parameters' sizes overflow 64 bits");
    return a;
  }

  ModelSummary& summary_;
};

// Types other than maps that a model may have as inputs are shown unchanged.
void show_maps_as_inputs(onnx::GraphProto& graph) {
  try {
    split_map_inputs(graph);
  } catch (const UserError&) {
  }
}

ModelSummary summarize_model(onnx::ModelProto& model) {
  show_maps_as_inputs(*model.mutable_graph());
  ModelSummary s;
  s.graph_name = model.graph().name();
  s.producer = model.producer_name();
  s.producer_version = model.producer_version();
  s.domain = model.domain();
  s.ir_version = model.ir_version();
  s.model_version = model.model_version();
  for (const auto& entry : model.opset_import()) s.opsets[normal_domain(entry.domain())] = entry.version();
  for (const auto* input : real_inputs(model.graph())) s.inputs.push_back(summarize(*input));
  for (const auto& output : model.graph().output()) s.outputs.push_back(summarize(output));
  for (const auto& function : model.functions()) s.functions.push_back(function.domain() + "." + function.name());
  Counter counter(s);
  counter.graph(model.graph());
  for (const auto& function : model.functions()) counter.nodes(function.node());
  return s;
}

}  // namespace
}  // namespace import

ModelSummary summarize_onnx_bytes(std::span<const std::byte> bytes, const std::string& name) {
  try {
    onnx::ModelProto model = import::parse_model(bytes);
    return import::summarize_model(model);
  } catch (const UserError& e) {
    user_error("{}: {}", name, e.what());
  }
}

ModelSummary summarize_onnx(const std::string& path) {
  std::string content;
  try {
    content = import::read_model_file(path);
  } catch (const UserError& e) {
    user_error("{}: {}", path, e.what());
  }
  return summarize_onnx_bytes(std::as_bytes(std::span(content)), path);
}

}  // namespace cppgen
