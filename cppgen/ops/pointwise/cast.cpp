#include <map>

#include "cppgen/ops/choice.h"
#include "cppgen/ops/convert.h"
#include "cppgen/ops/sequences/strings.h"
#include "runtime/plan/calls/host_strings.h"

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
  if (it == names.end()) c.fail_invalid(fmt::format("element type '{}' is not supported", c.text("to", "")));
  return it->second;
}

PowerRounding power_rounding(InferContext& c) {
  using enum PowerRounding;
  return choice<PowerRounding>(c, "round_mode", "up", {{"up", up}, {"down", down}, {"nearest", nearest}});
}

// ONNX does not define the conversion of floats beyond the range of 4-bit integers. Its test data saturate up to
// version 23; later data keep the low bits, as ONNX Runtime does.
Conversion conversion(InferContext& c) { return {c.integer("saturate", 1) != 0, c.opset() >= 24, power_rounding(c)}; }

void infer_cast(InferContext& c) {
  conversion(c);
  if (!infer_string_cast(c)) c.set_output(0, target_type(c), c.shape(0));
}
void infer_cast_like(InferContext& c) {
  conversion(c);
  if (!infer_string_cast(c)) c.set_output(0, c.dtype(1), c.shape(0));
}

void lower_cast(LowerContext& c) {
  const DType from = c.dtype(0), to = c.output(0).dtype;
  const Conversion how = conversion(c);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    const Scalar x = load_input(c, 0, at);
    return from == to ? x : converted(number_of(x, from), to, how);
  });
}

// --- BitCast: the same bits as elements of another type of as many bits. Between integers that is a conversion; where
// floats are involved the host does it, because a kernel that reads a float need not keep the bits of a NaN.

bool keeps_bits(DType from, DType to) {
  return from == to || (!is_float(from) && !is_float(to) && to != DType::boolean);
}

void infer_bit_cast(InferContext& c) {
  const DType to = dtype_of_onnx(c, c.integer("to"));
  if (const HostType* given = c.host(0)) {
    if (given->kind != ValueKind::tensor)
      c.fail_invalid(fmt::format("the input is {}, not a tensor", to_string(*given)));
    HostType type = *given;
    type.dtype = to;
    return c.set_host_output(0, type);
  }
  require_dtype(c, 0, kAll | kNarrow);
  const DType from = c.dtype(0);
  if (bits_of(from) != bits_of(to))
    c.fail_invalid(
        fmt::format("{} has {} bits, but {} has {}", name_of(from), bits_of(from), name_of(to), bits_of(to)));
  c.set_output(0, to, c.shape(0));
  c.run_on_host(!keeps_bits(from, to));
}

rt::HostStep host_bit_cast(InferContext& c) {
  return host_call("bit_cast", rt::TypeCall{dtype_of_onnx(c, c.integer("to"))});
}

}  // namespace

std::vector<Op> cast_ops() {
  return {
      {.name = "Cast",
       .versions =
           {{1, "to:string"}, {6, "to:int"}, 9, 13, {19, "saturate:int"}, 21, 23, {24, "round_mode:string"}, 25},
       .inputs = 1,
       .elements = Elements::narrow,
       .infer = infer_cast,
       .lower = lower_cast,
       .host = host_string_cast},
      {.name = "BitCast",
       .versions = {{26, "to:int"}},
       .inputs = 1,
       .elements = Elements::narrow,
       .infer = infer_bit_cast,
       .lower = lower_cast,
       .host = host_bit_cast},
      {.name = "CastLike",
       .versions = {15, {19, "saturate:int"}, 21, 23, {24, "round_mode:string"}, 25},
       .inputs = 2,
       .elements = Elements::narrow,
       .infer = infer_cast_like,
       .lower = lower_cast,
       .host = host_string_cast},
  };
}

}  // namespace cppgen::ops
