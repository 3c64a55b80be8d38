#include <algorithm>
#include <cstring>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/sequences/strings.h"

namespace cppgen::ops {
namespace {

Tensor float_tensor(const std::vector<float>& values, std::vector<int64_t> dims) {
  return tensor_of(DType::f32, std::vector<double>(values.begin(), values.end()), std::move(dims));
}

Tensor constant_value(InferContext& c) {
  if (const Attribute* a = c.attribute("value")) {
    if (const Tensor* t = std::get_if<Tensor>(a)) return *t;
    c.fail("attribute 'value' is not a tensor");
  }
  if (c.has("value_int")) return tensor_of({c.integer("value_int")}, {});
  if (c.has("value_ints")) {
    std::vector<int64_t> values = c.integers("value_ints");
    return tensor_of(values, {int64_t(values.size())});
  }
  if (c.has("value_float")) return float_tensor({c.number("value_float", 0)}, {});
  if (const Attribute* a = c.attribute("value_floats")) {
    if (auto* values = std::get_if<std::vector<float>>(a)) return float_tensor(*values, {int64_t(values->size())});
    c.fail("attribute 'value_floats' is not a list of floats");
  }
  c.fail("none of the attributes value, value_int, value_ints, value_float, value_floats is given");
}

void infer_constant(InferContext& c) {
  Tensor t = constant_value(c);
  c.set_output(0, t.dtype, Shape(t.dims.begin(), t.dims.end()));
}

void lower_constant(LowerContext& c) {
  ir::BufferId value = c.constant_buffer(constant_value(c));
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return c.load(value, at); });
}

std::string refuse_constant(const Graph&, const Node& node) {
  for (const char* name : {"value_string", "value_strings", "sparse_value"}) {
    if (node.attributes.count(name)) return std::string("attribute '") + name + "' is not supported";
  }
  return "";
}

// The element that fills the output: attribute `value`, a tensor of one element, or float32 zero.
Tensor fill_value(InferContext& c) {
  const Attribute* a = c.attribute("value");
  if (!a) return float_tensor({0}, {1});
  const Tensor* t = std::get_if<Tensor>(a);
  if (!t || t->elements() != 1) c.fail("attribute 'value' is not a tensor with one element");
  return *t;
}

void infer_constant_of_shape(InferContext& c) {
  require_dtype(c, 0, bit(DType::i64));
  require_rank(c, 0, 1, 1);
  const std::vector<IndexExpr>* known = c.contents(0);
  Shape dims = known ? *known : require_declared(c, 0, "the shape", unknown_dims(size_t(element_count(c, 0))));
  if (!known && element_count(c, 0) != int64_t(dims.size()))
    c.fail(fmt::format("the shape does not have {} entries", dims.size()));
  DType dtype = fill_value(c).dtype;
  require_size(c, dims, dtype);
  c.set_output(0, dtype, dims);
}

void lower_constant_of_shape(LowerContext& c) {
  Tensor value = fill_value(c);
  ir::BufferId buffer = c.constant_buffer(value);
  std::vector<Scalar> conditions;
  const Shape& to = c.output(0).shape;
  for (size_t d = 0; is_run_time(c, 0) && d < to.size(); ++d)
    conditions.push_back(integer_element(c, 0, int64_t(d)) == index_value(c, to[d]));
  Scalar element = checked(c, load(c, buffer, std::vector<IndexExpr>(value.dims.size())), conditions);
  c.emit_pointwise(c.output_buffer(0), [&](const auto&) { return element; });
}

void resolve_constant_of_shape(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> values;
  for (int64_t d = 0; d < element_count(c, 0); ++d) values.push_back(integer_element(c, 0, d));
  emit_dims(c, dims, values);
}

// Dimensions [start, end) of the input.
std::pair<int, int> shape_range(InferContext& c) {
  int64_t rank = int64_t(c.shape(0).size());
  auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  int64_t start = clamp(c.integer("start", 0)), end = clamp(c.integer("end", rank));
  return {int(start), int(std::max(start, end))};
}

void infer_shape(InferContext& c) {
  if (infer_host_shape(c)) return;
  auto [start, end] = shape_range(c);
  c.set_output(0, DType::i64, {int64_t(end - start)});
  c.set_contents(0, Shape(c.shape(0).begin() + start, c.shape(0).begin() + end));
}

void lower_shape(LowerContext& c) {
  auto [start, end] = shape_range(c);
  ir::LoopNest nest;
  for (int d = start; d < end; ++d) {
    nest.stores.push_back({c.output_buffer(0), {int64_t(d - start)}, index_value(c, c.shape(0)[d])});
  }
  if (!nest.stores.empty()) c.emit(std::move(nest));
}

void infer_size(InferContext& c) {
  if (infer_host_size(c)) return;
  c.set_output(0, DType::i64, {});
  c.set_contents(0, {ir::product(c.shape(0))});
}

void lower_size(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto&) { return index_value(c, ir::product(c.shape(0))); });
}

}  // namespace

std::vector<Op> constant_ops() {
  return {
      {.name = "Constant",
       .versions = {{1, "value:tensor"},
                    9,
                    {11, "sparse_value:sparse_tensor"},
                    {12,
                     "value_float:float value_floats:floats value_int:int value_ints:ints value_string:string "
                     "value_strings:strings"},
                    13,
                    19,
                    21,
                    23,
                    24,
                    25},
       .inputs = 0,
       .elements = Elements::narrow,
       .infer = infer_constant,
       .lower = lower_constant,
       .refuse = refuse_constant},
      {.name = "ConstantOfShape",
       .versions = {{9, "value:tensor"}, 20, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::narrow,
       .infer = infer_constant_of_shape,
       .lower = lower_constant_of_shape,
       .resolve = resolve_constant_of_shape},
      {.name = "Shape",
       .versions = {1, 13, {15, "end:int start:int"}, 19, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_shape,
       .lower = lower_shape,
       .host = host_shape},
      {.name = "Size",
       .versions = {1, 13, 19, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_size,
       .lower = lower_size,
       .host = host_size},
  };
}

}  // namespace cppgen::ops
