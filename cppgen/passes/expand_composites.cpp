#include "cppgen/passes/expand_composites.h"

#include <algorithm>

#include "cppgen/passes/expand_transform.h"
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

constexpr const char* kMicrosoft = "com.microsoft";

// --- QAttention: x, weights, bias, scale of x, scale of the weights, mask, zero points of both, past

void expand_attention(Expansion& e) {
  if (e.input(8) != kNoValue || e.old.outputs.size() > 1 || e.integer("do_rotary", 0) != 0) return;
  const ValueId x = e.add("DequantizeLinear", {e.input(0), e.scalar(3), e.scalar(6)});
  const ValueId weights = e.add("DequantizeLinear", {e.input(1), e.scalar(4), e.scalar(7)}, {{"axis", int64_t(1)}});
  ValueId all = e.add("MatMul", {x, weights});
  if (e.input(2) != kNoValue) all = e.add("Add", {all, e.input(2)});
  const auto parts = e.add_several("Split", {all}, {{"axis", int64_t(2)}, {"num_outputs", int64_t(3)}}, 3);
  std::vector<ValueId> inputs = parts;
  if (e.input(5) != kNoValue) inputs.insert(inputs.end(), {kNoValue, e.input(5)});
  e.become("MultiHeadAttention", std::move(inputs), e.given_attributes(), kMicrosoft);
}

// --- Channels last

// 0, rank - 1, 1, 2 ...; and back.
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

// The operator of ONNX between two transpositions.
void transposed(Expansion& e, const char* op, int64_t rank) {
  Attributes own = e.given_attributes();
  own.erase("channels_last");
  std::vector<ValueId> inputs = e.old.inputs;
  inputs[0] = e.add("Transpose", {inputs[0]}, {{"perm", channels_second(rank)}});
  const ValueId y = e.add(op, std::move(inputs), std::move(own));
  e.become("Transpose", {y}, {{"perm", channels_last(rank)}});
}

std::optional<int64_t> rank_of_window(const Expansion& e, size_t weights) {
  const auto kernel = e.old.attributes.find("kernel_shape");
  if (kernel != e.old.attributes.end())
    if (const auto* list = std::get_if<std::vector<int64_t>>(&kernel->second)) return int64_t(list->size()) + 2;
  if (const Tensor* w = e.constant(weights)) return int64_t(w->dims.size());
  return std::nullopt;
}

void expand_pool(Expansion& e) {
  const auto rank = rank_of_window(e, size_t(-1));
  if (!rank || e.old.outputs.size() != 1) return;
  transposed(e, "MaxPool", *rank);
}

void expand_convolution(Expansion& e) {
  if (e.integer("channels_last", 0) == 0) {
    return e.become("QLinearConv", e.old.inputs, e.old.attributes);
  }
  const auto rank = rank_of_window(e, 3);
  if (!rank) return;
  transposed(e, "QLinearConv", *rank);
}

// --- GatherBlockQuantized: table, indices, scales, zero points

// Two elements of a byte along the last axis, the lower half first, as bytes; of an odd extent the last half is unused.
Tensor unpacked(const Tensor& packed, int64_t extent) {
  std::vector<int64_t> dims = packed.dims;
  const int64_t bytes = dims.back(), rows = bytes == 0 ? 0 : packed.elements() / bytes;
  dims.back() = extent;
  std::vector<std::byte> elements(static_cast<size_t>(rows * extent));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t i = 0; i < extent; i++) {
      const int byte = packed.as<uint8_t>()[r * bytes + i / 2];
      elements[size_t(r * extent + i)] = std::byte(i % 2 == 0 ? byte & 15 : byte >> 4);
    }
  return make_tensor(DType::u8, std::move(dims), std::move(elements));
}

void expand_gather(Expansion& e) {
  const Tensor *table = e.constant(0), *scales = e.constant(2), *zeros = e.constant(3);
  if (!table || !scales || table->dims.size() < 2 || (e.input(3) != kNoValue && !zeros)) return;
  const auto rank = int64_t(table->dims.size());
  const int64_t bits = e.integer("bits", 4), block = e.integer("block_size", 128);
  int64_t along = e.integer("quantize_axis", 1);
  along = along < 0 ? along + rank : along;
  const bool packed = table->dtype == DType::u8 && bits == 4;
  const bool bytes = table->dtype == DType::u8 && bits == 8;
  const bool four_bits = table->dtype == DType::i4 || table->dtype == DType::u4;
  if (e.integer("gather_axis", 0) != 0 || along < 1 || along >= rank || (packed && along != rank - 1) || block < 1 ||
      scales->dims.size() != table->dims.size() || !(packed || bytes || four_bits))
    return;
  ValueId data = e.input(0), zero = e.input(3);
  const std::vector<int64_t> scale_dims = scales->dims;
  const int64_t blocks = scales->elements();
  if (packed && zeros) zero = e.graph.add_constant(e.old.name + " zeros", unpacked(*zeros, scale_dims.back()));
  if (packed) {
    const Tensor wide = unpacked(*e.constant(0), 2 * e.constant(0)->dims.back());
    data = e.graph.add_constant(e.old.name + " table", wide);
  }
  if (zero == kNoValue && !four_bits) {
    std::vector<std::byte> middle(static_cast<size_t>(blocks), std::byte(packed ? 8 : 128));
    zero = e.graph.add_constant(e.old.name + " zeros", make_tensor(DType::u8, scale_dims, std::move(middle)));
  }
  auto rows = [&](ValueId v) { return v == kNoValue ? kNoValue : e.add("Gather", {v, e.input(1)}); };
  const ValueId values = rows(data), own_scales = rows(e.input(2)), own_zeros = rows(zero);
  std::vector<ValueId> inputs{values, own_scales};
  if (own_zeros != kNoValue) inputs.push_back(own_zeros);
  e.become("DequantizeLinear", std::move(inputs), {{"axis", along - rank}, {"block_size", block}});
}

struct Composite {
  const char *op, *domain;
  void (*expand)(Expansion&);
};
constexpr Composite kComposites[] = {{"QAttention", kMicrosoft, expand_attention},
                                     {"NhwcMaxPool", kMicrosoft, expand_pool},
                                     {"QLinearConv", kMicrosoft, expand_convolution},
                                     {"GatherBlockQuantized", kMicrosoft, expand_gather},
                                     {"DFT", "", expand_transform}};

}  // namespace

void expand_composites(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); i++)
    for (const Composite& composite : kComposites) {
      if (graph.nodes[i].domain != composite.domain || graph.nodes[i].op != composite.op) continue;
      Expansion expansion(graph, NodeId(i));
      composite.expand(expansion);
    }
}

}  // namespace cppgen::passes
