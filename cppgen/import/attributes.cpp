#include "cppgen/import/attributes.h"

#include <cstring>

#include "cppgen/import/host_types.h"
#include "cppgen/import/sparse_tensors.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

using Kind = onnx::AttributeProto;

// Old writers leave the kind out; then the field that is set decides.
Kind::AttributeType kind_of(const onnx::AttributeProto& a) {
  if (a.type() != Kind::UNDEFINED) return a.type();
  if (a.has_f()) return Kind::FLOAT;
  if (a.has_i()) return Kind::INT;
  if (a.has_s()) return Kind::STRING;
  if (a.has_t()) return Kind::TENSOR;
  if (a.has_g()) return Kind::GRAPH;
  if (a.floats_size()) return Kind::FLOATS;
  if (a.ints_size()) return Kind::INTS;
  if (a.strings_size()) return Kind::STRINGS;
  user_error("attribute {} has no value", quoted(a.name()));
}

Tensor named_tensor(onnx::TensorProto& proto, const std::string& attribute, ExternalData& files) {
  try {
    return import_tensor(proto, files);
  } catch (const UserError& e) {
    user_error("attribute {}: the tensor {}", quoted(attribute), e.what());
  }
}

// A type as numbers: the kind of value, and the element type as TensorProto numbers it.
std::vector<int64_t> type_numbers(const onnx::AttributeProto& a) {
  try {
    const auto host = host_type_of(a.tp());
    const onnx::TypeProto& element = a.tp().has_sequence_type() ? a.tp().sequence_type().elem_type() : a.tp();
    return {int64_t(host ? host->kind : ValueKind::tensor), element.tensor_type().elem_type()};
  } catch (const UserError& e) {
    user_error("attribute {} {}", quoted(a.name()), e.what());
  }
}

template <class T>
Tensor tensor_of(DType type, std::vector<int64_t> dims, const T* values, size_t count) {
  std::vector<std::byte> bytes(count * sizeof(T));
  if (count) std::memcpy(bytes.data(), values, bytes.size());
  return make_tensor(type, std::move(dims), std::move(bytes));
}

}  // namespace

Attribute import_attribute(onnx::AttributeProto& a, ExternalData& files, const ImportBody& import_body) {
  switch (kind_of(a)) {
    case Kind::FLOAT:
      return a.f();
    case Kind::INT:
      return int64_t(a.i());
    case Kind::STRING:
      return a.s();
    case Kind::TENSOR:
      if (const auto strings = strings_of(a.t())) return strings->elements;
      return named_tensor(*a.mutable_t(), a.name(), files);
    case Kind::GRAPH:
      return import_body(*a.mutable_g());
    case Kind::FLOATS:
      return std::vector<float>(a.floats().begin(), a.floats().end());
    case Kind::INTS:
      return std::vector<int64_t>(a.ints().begin(), a.ints().end());
    case Kind::STRINGS:
      return std::vector<std::string>(a.strings().begin(), a.strings().end());
    case Kind::TYPE_PROTO:
      return type_numbers(a);
    default:
      user_error("attribute {} is of kind {}, which is not supported", quoted(a.name()),
                 onnx::AttributeProto::AttributeType_Name(a.type()));
  }
}

Tensor constant_of(onnx::NodeProto& node, ExternalData& files) {
  if (node.attribute_size() != 1)
    user_error("a Constant must have exactly one attribute, but this one has {}", node.attribute_size());
  onnx::AttributeProto& a = *node.mutable_attribute(0);
  const std::string& name = a.name();
  if (name == "value" && a.has_t()) return named_tensor(*a.mutable_t(), name, files);
  if (name == "sparse_value" && a.has_sparse_tensor()) {
    try {
      return import_sparse_tensor(*a.mutable_sparse_tensor(), files);
    } catch (const UserError& e) {
      user_error("attribute {} {}", quoted(name), e.what());
    }
  }
  if (name == "value_float") {
    float v = a.f();
    return tensor_of(DType::f32, {}, &v, 1);
  }
  if (name == "value_int") {
    int64_t v = a.i();
    return tensor_of(DType::i64, {}, &v, 1);
  }
  if (name == "value_floats")
    return tensor_of(DType::f32, {a.floats_size()}, a.floats().data(), size_t(a.floats_size()));
  if (name == "value_ints") return tensor_of(DType::i64, {a.ints_size()}, a.ints().data(), size_t(a.ints_size()));
  user_error(
      "a Constant with attribute {} is not supported; allowed are value, sparse_value and the typed value_ attributes",
      quoted(name));
}

}  // namespace cppgen::import
