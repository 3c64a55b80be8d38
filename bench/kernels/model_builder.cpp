#include "bench/kernels/model_builder.h"

#include <onnx/onnx_pb.h>

#include <fstream>
#include <stdexcept>
#include <string_view>

namespace cppgen::bench {

struct ModelBuilder::Impl {
  onnx::ModelProto model;
  int count = 0;
};

static void declare(onnx::ValueInfoProto& info, const std::string& name, const Dims& dims) {
  info.set_name(name);
  auto* type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  auto* shape = type->mutable_shape();
  for (int64_t d : dims) shape->add_dim()->set_dim_value(d);
}

// The attributes that are lists, among those that the benchmarks use; the others are numbers.
static bool is_list(const std::string& attribute) {
  return attribute == "perm" || attribute == "pads" || attribute == "strides" || attribute == "kernel_shape" ||
         attribute == "dilations";
}

ModelBuilder::ModelBuilder(const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->model.set_ir_version(9);
  impl_->model.add_opset_import()->set_version(20);
  onnx::OperatorSetIdProto& contributed = *impl_->model.add_opset_import();
  contributed.set_domain("com.microsoft"), contributed.set_version(1);
  impl_->model.mutable_graph()->set_name(name);
}

ModelBuilder::~ModelBuilder() = default;

std::string ModelBuilder::fresh(const char* kind) { return std::string(kind) + "_" + std::to_string(impl_->count++); }

std::string ModelBuilder::input(const std::string& name, const Dims& dims) {
  declare(*impl_->model.mutable_graph()->add_input(), name, dims);
  return name;
}

std::string ModelBuilder::ints(const std::vector<int64_t>& values) {
  onnx::TensorProto& t = *impl_->model.mutable_graph()->add_initializer();
  t.set_name(fresh("ints"));
  t.set_data_type(onnx::TensorProto::INT64);
  t.add_dims(int64_t(values.size()));
  for (int64_t v : values) t.add_int64_data(v);
  return t.name();
}

std::string ModelBuilder::numbers(const Dims& dims, const std::vector<float>& values) {
  onnx::TensorProto& t = *impl_->model.mutable_graph()->add_initializer();
  t.set_name(fresh("numbers"));
  t.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t d : dims) t.add_dims(d);
  t.set_raw_data(values.data(), values.size() * sizeof(float));
  return t.name();
}

std::string ModelBuilder::bytes(const Dims& dims, const std::vector<uint8_t>& values, bool is_signed) {
  onnx::TensorProto& t = *impl_->model.mutable_graph()->add_initializer();
  t.set_name(fresh("bytes"));
  t.set_data_type(is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  for (int64_t d : dims) t.add_dims(d);
  t.set_raw_data(values.data(), values.size());
  return t.name();
}

std::string ModelBuilder::node(const char* op, const Names& inputs,
                               const std::map<std::string, std::vector<int64_t>>& attributes) {
  onnx::NodeProto& n = *impl_->model.mutable_graph()->add_node();
  const std::string_view full = op;
  const size_t dot = full.rfind('.');
  if (dot != full.npos) n.set_domain(std::string(full.substr(0, dot)));
  n.set_op_type(std::string(full.substr(dot == full.npos ? 0 : dot + 1)));
  n.set_name(fresh(op));
  for (const auto& i : inputs) n.add_input(i);
  n.add_output(n.name() + ".out");
  for (const auto& [name, values] : attributes) {
    onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    const bool list = is_list(name);
    a.set_type(list ? onnx::AttributeProto::INTS : onnx::AttributeProto::INT);
    if (!list)
      a.set_i(values.at(0));
    else
      for (int64_t v : values) a.add_ints(v);
  }
  return n.output(0);
}

void ModelBuilder::output(const std::string& value, const Dims& dims) {
  declare(*impl_->model.mutable_graph()->add_output(), value, dims);
}

void ModelBuilder::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  if (!impl_->model.SerializeToOstream(&file) || !file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace cppgen::bench
