#include "cppgen/import/host_types.h"

#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

HostType tensor_type(const onnx::TypeProto::Tensor& tensor) {
  HostType type;
  type.strings = tensor.elem_type() == onnx::TensorProto::STRING;
  type.kind = type.strings ? ValueKind::strings : ValueKind::tensor;
  if (!type.strings) {
    const std::optional<DType> dtype = dtype_of(tensor.elem_type());
    if (!dtype) user_error("has element type {}, which is not supported", elem_type_name(tensor.elem_type()));
    type.dtype = *dtype;
  }
  if (!tensor.has_shape()) return type;
  type.dims.emplace();
  for (const auto& d : tensor.shape().dim()) type.dims->push_back(d.has_dim_value() ? d.dim_value() : -1);
  return type;
}

HostType element_type(const onnx::TypeProto& type, const char* of) {
  if (type.value_case() != onnx::TypeProto::kTensorType)
    user_error("is {} whose elements are not tensors, which is not supported", of);
  return tensor_type(type.tensor_type());
}

}  // namespace

std::optional<HostType> host_type_of(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType: {
      const HostType tensor = tensor_type(type.tensor_type());
      return tensor.strings ? std::optional(tensor) : std::nullopt;
    }
    case onnx::TypeProto::kSequenceType: {
      // Maps that share their keys are a sequence of these and the values, a row for each map.
      if (type.sequence_type().elem_type().has_map_type())
        return HostType{ValueKind::sequence, DType::f32, false, std::nullopt};
      HostType sequence = element_type(type.sequence_type().elem_type(), "a sequence");
      sequence.kind = ValueKind::sequence;
      return sequence;
    }
    case onnx::TypeProto::kOptionalType: {
      const onnx::TypeProto& held = type.optional_type().elem_type();
      const bool sequence = held.value_case() == onnx::TypeProto::kSequenceType;
      HostType optional = element_type(sequence ? held.sequence_type().elem_type() : held, "an optional");
      optional.kind = sequence ? ValueKind::optional_sequence : ValueKind::optional;
      return optional;
    }
    case onnx::TypeProto::kMapType:
      user_error("is a map, which is allowed only as an input of the model");
    case onnx::TypeProto::kSparseTensorType:
      user_error("is a sparse tensor, which is not supported");
    default:
      return std::nullopt;
  }
}

std::optional<Strings> strings_of(const onnx::TensorProto& proto) {
  if (proto.data_type() != onnx::TensorProto::STRING) return std::nullopt;
  Strings strings;
  strings.dims.assign(proto.dims().begin(), proto.dims().end());
  strings.elements.assign(proto.string_data().begin(), proto.string_data().end());
  int64_t count = 1;
  for (int64_t d : strings.dims)
    if (d < 0 || __builtin_mul_overflow(count, d, &count)) user_error("has dimensions that are negative or too large");
  if (count != int64_t(strings.elements.size()))
    user_error("has {} strings for {} elements", strings.elements.size(), count);
  return strings;
}

}  // namespace cppgen::import
