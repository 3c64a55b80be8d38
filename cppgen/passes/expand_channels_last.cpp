// Windows over images whose channels are their last dimension: ONNX's operators between two transpositions.
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// The operator of ONNX between two transpositions; inputs from `more` on are images, too.
void transposed(Expansion& e, const char* op, int64_t rank, const char* domain = "", size_t more = size_t(-1)) {
  Attributes own = e.old.attributes;
  own.erase("channels_last");
  std::vector<ValueId> inputs = e.old.inputs;
  for (size_t i = 0; i < inputs.size(); i++)
    if ((i == 0 || i >= more) && inputs[i] != kNoValue)
      inputs[i] = e.add("Transpose", {inputs[i]}, {{"perm", channels_second(rank)}});
  const ValueId y = e.add(op, std::move(inputs), std::move(own), domain);
  e.become("Transpose", {y}, {{"perm", channels_last(rank)}});
}

const std::vector<int64_t>* window_of(const Expansion& e) {
  const auto kernel = e.old.attributes.find("kernel_shape");
  return kernel == e.old.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&kernel->second);
}

std::optional<int64_t> rank_of_window(const Expansion& e, size_t weights) {
  if (const auto* window = window_of(e)) return int64_t(window->size()) + 2;
  if (const Tensor* w = e.constant(weights)) return int64_t(w->dims.size());
  return std::nullopt;
}

// Returns whether the channels of the weights follow the outputs, as in the operators for other layouts.
bool has_channels_second(const Expansion& e) {
  const Tensor* w = e.constant(1);
  const auto* window = window_of(e);
  if (!w || !window || w->dims.size() != window->size() + 2) return false;
  const auto begin = w->dims.begin();
  return std::equal(window->begin(), window->end(), begin + 2) &&
         !std::equal(window->begin(), window->end(), begin + 1);
}

}  // namespace

std::vector<int64_t> channels_second(int64_t rank) {
  std::vector<int64_t> perm{0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; d++) perm.push_back(d);
  return perm;
}

std::vector<int64_t> channels_last(int64_t rank) {
  std::vector<int64_t> perm{0};
  for (int64_t d = 2; d < rank; d++) perm.push_back(d);
  perm.push_back(1);
  return perm;
}

void expand_last_max_pool(Expansion& e) {
  const auto rank = rank_of_window(e, size_t(-1));
  if (!rank || e.old.outputs.size() != 1) return;
  transposed(e, "MaxPool", *rank);
}

void expand_last_average_pool(Expansion& e) {
  const auto rank = rank_of_window(e, size_t(-1));
  if (rank && e.integer("channels_last", 0) != 0) transposed(e, "QLinearAveragePool", *rank, kMicrosoft);
}

void expand_last_quantized_conv(Expansion& e) {
  if (e.integer("channels_last", 0) == 0) return e.become("QLinearConv", e.old.inputs, e.old.attributes);
  if (const auto rank = rank_of_window(e, 3)) transposed(e, "QLinearConv", *rank);
}

// Weights are [outputs, window.., channels].
void expand_last_conv(Expansion& e) {
  const auto rank = rank_of_window(e, 1);
  if (!rank) return;
  Attributes own = e.old.attributes;
  std::vector<ValueId> inputs = e.old.inputs;
  inputs[0] = e.add("Transpose", {inputs[0]}, {{"perm", channels_second(*rank)}});
  if (!has_channels_second(e)) inputs[1] = e.add("Transpose", {inputs[1]}, {{"perm", channels_second(*rank)}});
  const ValueId y = e.add("Conv", std::move(inputs), std::move(own));
  e.become("Transpose", {y}, {{"perm", channels_last(*rank)}});
}

// Weights are [outputs, channels, window..]; input 3, which is added, is an image.
void expand_last_fused_conv(Expansion& e) {
  if (const auto rank = rank_of_window(e, 1)) transposed(e, "FusedConv", *rank, kMicrosoft, 3);
}

}  // namespace cppgen::passes
