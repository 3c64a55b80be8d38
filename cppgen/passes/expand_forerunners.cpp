// Operators of com.microsoft that ONNX adopted, or that a few of ONNX's own operators express.
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {

void expand_same(Expansion& e) { e.become(e.old.op, e.old.inputs, e.old.attributes); }

// --- ExpandDims: x, axis

void expand_dims(Expansion& e) {
  const ValueId axis = e.add("Cast", {e.input(1)}, {{"to", int64_t(7)}});
  e.become("Unsqueeze", {e.input(0), e.add("Reshape", {axis, e.ints({1})})}, {});
}

// --- Pad: x, pads in any shape, the number in a tensor of one element

void expand_pad(Expansion& e) {
  std::vector<ValueId> inputs{e.input(0), e.add("Reshape", {e.input(1), e.ints({-1})})};
  if (e.input(2) != kNoValue) inputs.push_back(e.add("Squeeze", {e.input(2)}));
  e.become("Pad", std::move(inputs), e.old.attributes);
}

// --- Range: begin, end, the step, which may be missing

void expand_range(Expansion& e) {
  if (e.input(2) != kNoValue) return expand_same(e);
  e.become("Range", {e.input(0), e.input(1), e.add("CastLike", {e.floats({}, {1}), e.input(0)})}, {});
}

// --- Unique: of a vector, in the order of their first positions; the position of each element among them, how often
// each occurs

void expand_unique(Expansion& e) {
  const auto found = e.add_several("Unique", {e.input(0)}, {{"sorted", int64_t(0)}}, 4);
  if (e.wants(2)) e.give(2, "Identity", {found[3]});
  if (e.wants(1)) e.give(1, "Identity", {found[2]});
  e.become("Identity", {found[0]}, {});
}

// --- CDist: the distances of all rows of one matrix from all of another

void expand_distances(Expansion& e) {
  const std::string metric = text_attribute(e.old, "metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") return;
  const ValueId apart =
      e.add("Sub", {e.add("Unsqueeze", {e.input(0), e.ints({1})}), e.add("Unsqueeze", {e.input(1), e.ints({0})})});
  const std::vector<ValueId> inputs{apart, e.ints({2})};
  const Attributes last{{"keepdims", int64_t(0)}};
  if (metric == "euclidean") return e.become("Sqrt", {e.add("ReduceSumSquare", inputs, last)}, {});
  e.become("ReduceSumSquare", inputs, last);
}

// --- QEmbedLayerNormalization: ids, segments, tables of words, positions and segments, gamma, beta, mask; then the
// scales and the zero points of the five constants

void expand_quantized_embedding(Expansion& e) {
  std::vector<ValueId> inputs = e.old.inputs;
  inputs.resize(18, kNoValue);
  for (size_t k = 2; k < 7; k++)
    if (inputs[k] != kNoValue) inputs[k] = e.add("DequantizeLinear", {inputs[k], e.scalar(k + 6), e.scalar(k + 11)});
  inputs.resize(8);
  e.become("EmbedLayerNormalization", std::move(inputs), e.old.attributes, kMicrosoft);
}

}  // namespace cppgen::passes
