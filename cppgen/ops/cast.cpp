#include <map>

#include "cppgen/ops/convert.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/strings.h"

namespace cppgen::ops {
namespace {

// Up to version 5 the type is given by name.
DType target_type(InferContext& c) {
  if (c.opset() >= 6) return dtype_of_onnx(c, c.integer("to"));
  static const std::map<std::string, DType> names = {
      {"FLOAT", DType::f32},  {"DOUBLE", DType::f64}, {"FLOAT16", DType::f16}, {"INT8", DType::i8},
      {"INT16", DType::i16},  {"INT32", DType::i32},  {"INT64", DType::i64},   {"UINT8", DType::u8},
      {"UINT16", DType::u16}, {"UINT32", DType::u32}, {"UINT64", DType::u64},  {"BOOL", DType::boolean}};
  auto it = names.find(c.text("to", ""));
  if (it == names.end()) c.fail(fmt::format("element type '{}' is not supported", c.text("to", "")));
  return it->second;
}

void infer_cast(InferContext& c) {
  if (!infer_string_cast(c)) c.set_output(0, target_type(c), c.shape(0));
}
void infer_cast_like(InferContext& c) {
  if (!infer_string_cast(c)) c.set_output(0, c.dtype(1), c.shape(0));
}

void lower_cast(LowerContext& c) {
  const DType to = c.output(0).dtype;
  const bool same = to == c.dtype(0), saturate = c.integer("saturate", 1) != 0;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    const Scalar x = load_input(c, 0, at);
    return same ? x : converted(x, to, saturate);
  });
}

}  // namespace

void add_cast_ops(std::vector<Op>& t) {
  add_versions(t, "Cast", {1, 6, 9, 13, 19, 21, 23, 24}, {1, 1, 1}, infer_cast, lower_cast);
  add_versions(t, "CastLike", {15, 19, 21, 23, 24}, {2, 2, 1}, infer_cast_like, lower_cast);
}

}  // namespace cppgen::ops
