// Operators that early versions of ONNX tried out and ONNX Runtime kept; converters of Core ML and Caffe2 wrote them.
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// The floats of an attribute, which may have one or several.
std::vector<double> numbers(const Expansion& e, const char* name, double otherwise) {
  const auto at = e.old.attributes.find(name);
  if (at == e.old.attributes.end()) return {otherwise};
  if (const auto* one = std::get_if<float>(&at->second)) return {double(*one)};
  if (const auto* many = std::get_if<std::vector<float>>(&at->second)) return {many->begin(), many->end()};
  return {otherwise};
}

// A scalar of the type of the input.
ValueId number_constant(Expansion& e, const char* name, double otherwise) {
  return e.add("CastLike", {e.floats({}, {numbers(e, name, otherwise)[0]}), e.input(0)});
}

std::vector<int64_t> integers(const Expansion& e, const char* name) {
  const auto at = e.old.attributes.find(name);
  const auto* many = at == e.old.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&at->second);
  return many ? *many : std::vector<int64_t>{};
}

}  // namespace

// --- Affine: alpha x + beta; Scale: scale x; ScaledTanh: alpha tanh(beta x); ParametricSoftplus: alpha log(1 + e^(beta
// x))

void expand_affine(Expansion& e) {
  e.become("Add", {e.add("Mul", {e.input(0), number_constant(e, "alpha", 1)}), number_constant(e, "beta", 0)}, {});
}

void expand_scale(Expansion& e) { e.become("Mul", {e.input(0), number_constant(e, "scale", 1)}, {}); }

void expand_scaled_tanh(Expansion& e) {
  const ValueId inner = e.add("Tanh", {e.add("Mul", {e.input(0), number_constant(e, "beta", 0)})});
  e.become("Mul", {inner, number_constant(e, "alpha", 0)}, {});
}

void expand_parametric_softplus(Expansion& e) {
  const ValueId inner = e.add("Softplus", {e.add("Mul", {e.input(0), number_constant(e, "beta", 0)})});
  e.become("Mul", {inner, number_constant(e, "alpha", 0)}, {});
}

// --- ImageScaler: a factor for all, a bias for each channel

void expand_image_scaler(Expansion& e) {
  const std::vector<double> bias = numbers(e, "bias", 0);
  const ValueId own = e.floats({int64_t(bias.size()), 1, 1}, bias);
  const ValueId scaled = e.add("Mul", {e.input(0), number_constant(e, "scale", 1)});
  e.become("Add", {scaled, e.add("CastLike", {own, e.input(0)})}, {});
}

// --- Crop: border is left, top, right, bottom; with scale it is [height, width] from left and top

void expand_crop(Expansion& e) {
  const std::vector<int64_t> border = integers(e, "border"), scale = integers(e, "scale");
  if (border.size() != 4 || (!scale.empty() && scale.size() != 2)) return;
  const ValueId starts = e.ints({border[1], border[0]}), axes = e.ints({2, 3});
  if (!scale.empty())
    return e.become("Slice", {e.input(0), starts, e.ints({border[1] + scale[0], border[0] + scale[1]}), axes}, {});
  const ValueId extents = e.add("Shape", {e.input(0)}, {{"start", int64_t(2)}, {"end", int64_t(4)}});
  e.become("Slice", {e.input(0), starts, e.add("Sub", {extents, e.ints({border[3], border[2]})}), axes}, {});
}

// --- DynamicSlice, which Slice became

void expand_dynamic_slice(Expansion& e) { e.become("Slice", e.old.inputs, {}); }

}  // namespace cppgen::passes
