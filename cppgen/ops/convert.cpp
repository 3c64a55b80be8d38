#include "cppgen/ops/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cppgen/graph/string_elements.h"
#include "runtime/base/float8.h"

namespace cppgen::ops {
namespace {

// Of ONNX's own domain, sorted: those that ONNX lists, and others that only move elements.
constexpr auto kTakesNarrowTypes = std::to_array<std::string_view>({"BitCast",      "Cast",
                                                                    "CastLike",     "CenterCropPad",
                                                                    "Compress",     "Concat",
                                                                    "Constant",     "ConstantOfShape",
                                                                    "DepthToSpace", "DequantizeLinear",
                                                                    "Expand",       "Flatten",
                                                                    "Gather",       "GatherElements",
                                                                    "GatherND",     "Identity",
                                                                    "If",           "IsInf",
                                                                    "IsNaN",        "Loop",
                                                                    "Pad",          "QuantizeLinear",
                                                                    "Reshape",      "ReverseSequence",
                                                                    "Scan",         "Shape",
                                                                    "Size",         "Slice",
                                                                    "SpaceToDepth", "Split",
                                                                    "Squeeze",      "Tile",
                                                                    "Transpose",    "Unsqueeze",
                                                                    "Where"});
static_assert(std::is_sorted(kTakesNarrowTypes.begin(), kTakesNarrowTypes.end()));

// Likewise of those whose kernels take handles of strings; others that take strings are the host's.
constexpr auto kMovesStrings = std::to_array<std::string_view>(
    {"CenterCropPad",  "Compress",        "Concat",        "DepthToSpace", "Expand",    "Flatten",   "Gather",
     "GatherElements", "GatherND",        "Identity",      "OneHot",       "Pad",       "Reshape",   "ReverseSequence",
     "Scatter",        "ScatterElements", "ScatterND",     "Shape",        "Size",      "Slice",     "SpaceToDepth",
     "Split",          "Squeeze",         "TensorScatter", "Tile",         "Transpose", "Unsqueeze", "Where"});
static_assert(std::is_sorted(kMovesStrings.begin(), kMovesStrings.end()));

bool takes_strings(const Graph& graph, const Node& node) {
  if (is_host(graph, node)) return true;
  const auto reduction = node.attributes.find("reduction");
  if (reduction != node.attributes.end()) {
    const auto* text = std::get_if<std::string>(&reduction->second);
    if (!text || *text != "none") return false;
  }
  return node.domain.empty() && std::binary_search(kMovesStrings.begin(), kMovesStrings.end(), node.op);
}

bool takes_narrow_types(const Node& node) {
  if (node.domain == "com.microsoft") return node.op == "QuantizeLinear" || node.op == "DequantizeLinear";
  return node.domain.empty() && std::binary_search(kTakesNarrowTypes.begin(), kTakesNarrowTypes.end(), node.op);
}

bool is_narrow(const Graph& graph, ValueId v) {
  if (v == kNoValue || !graph.value(v).type) return false;
  const DType type = graph.value(v).type->dtype;
  return is_float8(type) || is_four_bits(type);
}

Scalar to_four_bits(Scalar x, DType storage) {
  const auto [least, greatest] = range_of(storage);
  if (is_float(x.type())) return min(max(round(x), least), greatest).cast(ir::value_type(storage));
  const Scalar byte = x.cast(ir::value_type(storage));
  const Scalar low = (byte - least).binary(ir::BinaryOp::bit_and, byte.number(15));
  return low + least;
}

Scalar to_float8(Scalar x, DType storage, bool saturate) {
  x = x.cast(DType::f32);
  const double greatest = greatest_f8(storage);
  if (saturate) x = max(min(x, greatest), -greatest);
  return x.unary(*ir::rounding_to(storage));
}

// Bytes are numbers of every type of floats.
bool is_byte(DType t) { return size_of(t) == 1; }

}  // namespace

IntegerRange range_of(DType t) {
  const int bits = is_four_bits(t) ? 4 : int(8 * size_of(t));
  if (is_signed_int(t)) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

Scalar converted(Scalar x, DType storage, bool saturate) {
  if (is_four_bits(storage)) return to_four_bits(x, storage);
  if (is_float8(storage)) return to_float8(x, storage, saturate);
  const auto rounding = ir::rounding_to(storage);
  const Scalar value = x.cast(ir::value_type(storage));
  return rounding && !is_byte(x.type()) ? value.unary(*rounding) : value;
}

void check_string_types(const Graph& graph, const InferContext& c) {
  const Node& node = c.node();
  auto is_string = [&](ValueId v) { return v != kNoValue && is_string_tensor(graph.value(v)); };
  for (const auto& [values, what] : {std::pair(&node.inputs, "input"), {&node.outputs, "output"}})
    for (size_t i = 0; i < values->size(); ++i)
      if (is_string((*values)[i]) && !takes_strings(graph, node))
        c.fail(fmt::format("{} {} is a tensor of strings, which the operator does not take", what, i));
}

void check_narrow_types(const Graph& graph, const InferContext& c) {
  const Node& node = c.node();
  if (takes_narrow_types(node)) return;
  for (const auto& [values, what] : {std::pair(&node.inputs, "input"), {&node.outputs, "output"}})
    for (size_t i = 0; i < values->size(); ++i)
      if (is_narrow(graph, (*values)[i]))
        c.fail(fmt::format("{} {} is {}; such a type can only be converted and moved", what, i,
                           name_of(graph.value((*values)[i]).type->dtype)));
}

}  // namespace cppgen::ops
