#include "bench/models/quantize.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "bench/models/onnx_file.h"
#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"

namespace cppgen::bench {
namespace {

using Names = std::vector<std::string>;

constexpr int kCalibrationInputs = 2;
constexpr int64_t kLeastOpset = 13;  // scales per axis

struct Range {
  float least = 0, most = 0;  // 0 must have a value of its own: padding is 0
};

std::string external(const onnx::TensorProto& t, const std::string& key) {
  for (const auto& entry : t.external_data())
    if (entry.key() == key) return entry.value();
  return "";
}

void load_data(onnx::TensorProto& t, const std::string& folder) {
  if (t.data_location() != onnx::TensorProto::EXTERNAL) return;
  const std::string path = folder + "/" + external(t, "location"), offset = external(t, "offset");
  std::ifstream file(path, std::ios::binary);
  std::string data(std::stoull(external(t, "length")), '\0');
  file.seekg(offset.empty() ? 0 : std::stoll(offset));
  if (!file.read(data.data(), std::streamsize(data.size()))) user_error("{}: cannot be read", path);
  t.set_raw_data(std::move(data));
  t.clear_external_data(), t.clear_data_location();
}

onnx::ModelProto read_model(const std::string& path) {
  onnx::ModelProto model = read_onnx(path);
  for (auto& t : *model.mutable_graph()->mutable_initializer())
    load_data(t, std::filesystem::path(path).parent_path().string());
  for (const auto& opset : model.opset_import())
    if (opset.domain().empty() && opset.version() < kLeastOpset)
      user_error("{}: quantizing needs opset {} at least", path, kLeastOpset);
  return model;
}

std::vector<float> floats_of(const onnx::TensorProto& t) {
  if (!t.raw_data().empty()) {
    const auto* data = reinterpret_cast<const float*>(t.raw_data().data());
    return {data, data + t.raw_data().size() / sizeof(float)};
  }
  return {t.float_data().begin(), t.float_data().end()};
}

// Rewrites the graph node by node, in order.
class Quantizer {
 public:
  explicit Quantizer(onnx::ModelProto& model) : graph_(*model.mutable_graph()) {
    for (const auto& t : graph_.initializer()) constants_[t.name()] = t;
    for (const auto& n : graph_.node()) images_ = images_ || n.op_type() == "Conv";
  }

  // The values that products, convolutions and their like read, except for constants, and the results of products.
  // Everything that reads these values reads them quantized: so do tools that quantize models for ONNX Runtime.
  Names activations() const {
    std::set<std::string> seen;
    Names names;
    const auto note = [&](const std::string& name) {
      if (!constants_.contains(name) && seen.insert(name).second) names.push_back(name);
    };
    for (const auto& n : graph_.node()) {
      if (!quantized(n)) continue;
      for (const std::string& name : n.input()) note(name);
      if (n.op_type() == "MatMul") note(n.output(0));
    }
    return names;
  }

  void run(const std::map<std::string, Range>& ranges) {
    const auto nodes = graph_.node();
    graph_.clear_node();
    for (const auto& [name, range] : ranges) scales_[name] = (range.most - range.least) / 255;
    for (const auto& input : graph_.input()) add_pair(input.name(), ranges);
    for (const auto& n : nodes) {
      onnx::NodeProto copy = n;
      redirect(copy);
      *graph_.add_node() = copy;
      for (const std::string& out : n.output()) add_pair(out, ranges);
    }
  }

 private:
  onnx::GraphProto& graph_;
  std::map<std::string, onnx::TensorProto> constants_;
  std::map<std::string, float> scales_;                      // of activations
  std::map<std::string, std::vector<float>> weight_scales_;  // of each channel, by the name of the weights
  std::set<std::string> done_;
  bool images_ = false;

  static bool multiplies(const onnx::NodeProto& n) {
    return n.op_type() == "Conv" || n.op_type() == "Gemm" || n.op_type() == "MatMul";
  }

  bool quantized(const onnx::NodeProto& n) const {
    static const std::set<std::string> kOfImages{"Add", "MaxPool", "AveragePool", "GlobalAveragePool", "Flatten"};
    return multiplies(n) || (images_ && kOfImages.contains(n.op_type()));
  }

  onnx::TensorProto& constant(const std::string& name, int type, std::vector<int64_t> dims, const void* data,
                              size_t bytes) {
    onnx::TensorProto& t = *graph_.add_initializer();
    t.set_name(name), t.set_data_type(type);
    for (int64_t d : dims) t.add_dims(d);
    t.set_raw_data(data, bytes);
    return t;
  }

  void add(const char* op, const Names& inputs, const std::string& output, int64_t axis = -1) {
    onnx::NodeProto& n = *graph_.add_node();
    n.set_op_type(op), n.set_name(output);
    for (const auto& i : inputs) n.add_input(i);
    n.add_output(output);
    if (axis < 0) return;
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name("axis"), a.set_type(onnx::AttributeProto::INT), a.set_i(axis);
  }

  void add_pair(const std::string& name, const std::map<std::string, Range>& ranges) {
    const auto at = ranges.find(name);
    if (at == ranges.end()) return;
    float& scale = scales_[name];
    if (!(scale > 0)) scale = 1;
    const auto zero = uint8_t(std::clamp(std::lround(-at->second.least / scale), 0L, 255L));
    constant(name + "//scale", onnx::TensorProto::FLOAT, {}, &scale, sizeof scale);
    constant(name + "//zero", onnx::TensorProto::UINT8, {}, &zero, 1);
    add("QuantizeLinear", {name, name + "//scale", name + "//zero"}, name + "//quantized");
    add("DequantizeLinear", {name + "//quantized", name + "//scale", name + "//zero"}, name + "//dequantized");
  }

  void redirect(onnx::NodeProto& n) {
    for (int i = 0; i < n.input_size(); i++) {
      const std::string name = n.input(i);
      if (scales_.contains(name))
        n.set_input(i, name + "//dequantized");
      else if (multiplies(n) && i == 1 && constants_.contains(name))
        n.set_input(i, weights(name, axis_of(n)));
      else if (multiplies(n) && i == 2 && weight_scales_.contains(original_weights_))
        n.set_input(i, bias(name, original_left_, original_weights_));
      if (i == 0) original_left_ = name;
      if (i == 1) original_weights_ = name;
    }
  }
  std::string original_left_, original_weights_;  // of the node that is redirected

  // The dimension of the weights that counts columns of the result.
  int64_t axis_of(const onnx::NodeProto& n) const {
    if (n.op_type() == "Conv") return 0;
    for (const auto& a : n.attribute())
      if (a.name() == "transB" && a.i() != 0) return 0;
    return 1;
  }

  std::string weights(const std::string& name, int64_t axis) {
    if (!done_.insert(name).second) return name + "//dequantized";
    const onnx::TensorProto& t = constants_.at(name);
    const std::vector<float> values = floats_of(t);
    int64_t inner = 1;
    for (int64_t d = axis + 1; d < t.dims_size(); d++) inner *= t.dims(int(d));
    const int64_t channels = t.dims(int(axis));
    const auto channel = [&](size_t i) { return size_t(int64_t(i) / inner % channels); };
    std::vector<float>& scales = weight_scales_[name];
    scales.assign(size_t(channels), 0);
    for (size_t i = 0; i < values.size(); i++) scales[channel(i)] = std::max(scales[channel(i)], std::abs(values[i]));
    for (float& s : scales) s = s > 0 ? s / 127 : 1;
    std::vector<int8_t> bytes;
    for (size_t i = 0; i < values.size(); i++) bytes.push_back(int8_t(std::lround(values[i] / scales[channel(i)])));
    const std::vector<int8_t> zeros(size_t(channels), 0);
    constant(name + "//quantized", onnx::TensorProto::INT8, {t.dims().begin(), t.dims().end()}, bytes.data(),
             bytes.size());
    constant(name + "//scale", onnx::TensorProto::FLOAT, {channels}, scales.data(), scales.size() * sizeof(float));
    constant(name + "//zero", onnx::TensorProto::INT8, {channels}, zeros.data(), zeros.size());
    add("DequantizeLinear", {name + "//quantized", name + "//scale", name + "//zero"}, name + "//dequantized", axis);
    return name + "//dequantized";
  }

  // The bias is in units of the products: int32.
  std::string bias(const std::string& name, const std::string& left, const std::string& right) {
    if (!done_.insert(name).second) return name + "//dequantized";
    const std::vector<float> values = floats_of(constants_.at(name)), &columns = weight_scales_.at(right);
    std::vector<int32_t> sums;
    std::vector<float> scales;
    for (size_t i = 0; i < values.size(); i++) {
      scales.push_back(scales_.at(left) * columns[i]);
      sums.push_back(int32_t(std::lround(values[i] / scales[i])));
    }
    const auto size = int64_t(values.size());
    constant(name + "//quantized", onnx::TensorProto::INT32, {size}, sums.data(), sums.size() * sizeof(int32_t));
    constant(name + "//scale", onnx::TensorProto::FLOAT, {size}, scales.data(), scales.size() * sizeof(float));
    add("DequantizeLinear", {name + "//quantized", name + "//scale"}, name + "//dequantized", 0);
    return name + "//dequantized";
  }
};

// The ranges of the model's inputs, and those of all other values in runs of the model.
std::map<std::string, Range> ranges_of(onnx::ModelProto model, const Names& names, CompileRequest request,
                                       const std::string& folder) {
  std::set<std::string> inputs;
  for (const auto& input : model.graph().input()) inputs.insert(input.name());
  model.mutable_graph()->clear_output();
  for (const std::string& name : names)
    if (!inputs.contains(name)) model.mutable_graph()->add_output()->set_name(name);
  request.model = folder + "/calibration.onnx";
  write_onnx(model, request.model);
  const CompiledModel compiled = compile_model(request);
  rt::Session session(rt::Executable::load(compiled.package, {compiled.trusted}));
  std::map<std::string, Range> ranges;
  const auto extend = [&](const rt::TensorInfo& info, const rt::Tensor& tensor) {
    if (std::find(names.begin(), names.end(), info.name) == names.end()) return;
    if (tensor.type() != DType::f32) user_error("{}: '{}' is the operands are not float32", request.model, info.name);
    Range& range = ranges[info.name];
    for (int64_t i = 0, n = tensor.elements(); i < n; i++)
      range.least = std::min(range.least, tensor.as<float>()[i]),
      range.most = std::max(range.most, tensor.as<float>()[i]);
  };
  for (int seed = 1; seed <= kCalibrationInputs; seed++) {
    const auto tensors = rt::random_inputs(session.plan(), {}, uint64_t(seed));
    std::vector<rt::TensorView> views;
    for (size_t i = 0; i < tensors.size(); i++) {
      views.push_back(tensors[i].view());
      extend(session.plan().inputs[i], tensors[i]);
    }
    const auto outputs = session.run(views);
    for (size_t i = 0; i < outputs.size(); i++) extend(session.plan().outputs[i], outputs[i]);
  }
  std::filesystem::remove(request.model);
  return ranges;
}

// Constants that nothing reads any more.
void drop_unread(onnx::GraphProto& graph) {
  std::set<std::string> read;
  for (const auto& n : graph.node()) read.insert(n.input().begin(), n.input().end());
  auto& list = *graph.mutable_initializer();
  for (int i = list.size(); i-- > 0;)
    if (!read.contains(list[i].name())) list.DeleteSubrange(i, 1);
}

}  // namespace

void write_quantized(const CompileRequest& request, const std::string& to) {
  onnx::ModelProto model = read_model(request.model);
  Quantizer quantizer(model);
  const auto ranges =
      ranges_of(model, quantizer.activations(), request, std::filesystem::path(to).parent_path().string());
  quantizer.run(ranges);
  drop_unread(*model.mutable_graph());
  write_onnx(model, to);
}

}  // namespace cppgen::bench
