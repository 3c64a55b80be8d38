#include "cppgen/ops/value_type.h"

#include <algorithm>

#include "cppgen/graph/string_elements.h"
#include "runtime/base/errors.h"

namespace cppgen::ops {

void set_type(Value& v, const ValueType& type) {
  v.type = type.tensor;
  v.host = type.host;
  v.contents.reset();
}

void set_output_type(InferContext& c, int output, const ValueType& type) {
  if (type.tensor) {
    c.set_output(output, type.tensor->dtype, type.tensor->shape);
  } else if (type.host) {
    c.set_host_output(output, *type.host);
  }
}

std::vector<int64_t> known_dims(const Shape& shape) {
  std::vector<int64_t> dims;
  for (IndexExpr d : shape) dims.push_back(d.is_constant() ? d.constant() : -1);
  return dims;
}

HostType as_host(const ValueType& type) {
  if (type.host) return *type.host;
  check(type.tensor.has_value(), "a value without a type");
  const bool strings = type.tensor->dtype == kString;
  return {strings ? ValueKind::strings : ValueKind::tensor, strings ? DType::f32 : type.tensor->dtype, strings,
          known_dims(type.tensor->shape)};
}

std::set<std::string> visible_symbols(const InferContext& c) {
  std::set<std::string> names;
  auto add = [&](IndexExpr e) {
    for (const ir::IndexNode* n : ir::variables_of(e)) names.insert(n->name);
  };
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.has_input(i)) continue;
    const Value& v = c.input_value(i);
    if (v.type) std::for_each(v.type->shape.begin(), v.type->shape.end(), add);
    if (v.contents) std::for_each(v.contents->begin(), v.contents->end(), add);
  }
  return names;
}

HostType join_host(InferContext& c, const char* what, const HostType& a, const HostType& b) {
  HostType joined = a;
  // An optional covers what it may hold; an empty one says nothing of its elements.
  if (a.kind != b.kind) {
    auto covers = [](ValueKind optional, ValueKind held) {
      return (optional == ValueKind::optional && held == ValueKind::tensor) ||
             (optional == ValueKind::optional_sequence && held == ValueKind::sequence);
    };
    if (covers(b.kind, a.kind)) {
      joined.kind = b.kind;
    } else if (!covers(a.kind, b.kind)) {
      c.fail(fmt::format("{} is {} or {}", what, to_string(a), to_string(b)));
    }
  }
  if (a.dtype != b.dtype || a.strings != b.strings)
    c.fail(fmt::format("{} is {} or {}", what, to_string(a), to_string(b)));
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) {
    joined.dims.reset();
    return joined;
  }
  for (size_t d = 0; d < a.dims->size(); ++d)
    if ((*a.dims)[d] != (*b.dims)[d]) (*joined.dims)[d] = -1;
  return joined;
}

ValueType join_types(InferContext& c, const char* what, const ValueType& a, const ValueType& b,
                     const std::set<std::string>& visible, const std::function<IndexExpr(size_t d)>& unknown) {
  const bool tensors = a.tensor && b.tensor && a.tensor->shape.size() == b.tensor->shape.size();
  if (!tensors) return {std::nullopt, join_host(c, what, as_host(a), as_host(b))};
  if (a.tensor->dtype != b.tensor->dtype)
    c.fail(fmt::format("{} is {} or {}", what, to_string(*a.tensor), to_string(*b.tensor)));
  auto means_something = [&](IndexExpr e) {
    const auto variables = ir::variables_of(e);
    return std::all_of(variables.begin(), variables.end(), [&](const auto* n) { return visible.count(n->name) > 0; });
  };
  TensorType joined = *a.tensor;
  for (size_t d = 0; d < joined.shape.size(); ++d)
    if (!ir::prove_equal(joined.shape[d], b.tensor->shape[d]) || !means_something(joined.shape[d]))
      joined.shape[d] = unknown(d);
  return {joined, std::nullopt};
}

void set_tensor_output(InferContext& c, int output, const HostType& element) {
  if (!c.has_output(output)) return;
  if (!element.dims) {
    HostType tensor = element;
    tensor.kind = element.strings ? ValueKind::strings : ValueKind::tensor;
    return c.set_host_output(output, tensor);
  }
  Shape shape;
  for (size_t d = 0; d < element.dims->size(); ++d)
    shape.push_back((*element.dims)[d] >= 0 ? IndexExpr((*element.dims)[d]) : c.unknown_dimension(output, d, "dim"));
  c.set_output(output, element.strings ? kString : element.dtype, shape);
}

}  // namespace cppgen::ops
