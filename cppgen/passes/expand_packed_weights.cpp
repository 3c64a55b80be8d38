// Operators over weights of few bits that are packed in bytes.
#include <algorithm>
#include <numeric>
#include <span>

#include "cppgen/passes/expansion.h"
#include "runtime/base/checked.h"

namespace cppgen::passes {

// --- GatherBlockQuantized: table, indices, scales, zero points

Tensor unpacked_halves(const Tensor& packed, int64_t extent) {
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
  if (packed && zeros) zero = e.graph.add_constant(e.old.name + " zeros", unpacked_halves(*zeros, scale_dims.back()));
  if (packed) {
    const Tensor wide = unpacked_halves(*e.constant(0), 2 * e.constant(0)->dims.back());
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

// --- MatMulNBits: a, weights, scales, zero points, the block of each row of the weights, bias

namespace {

// The positions of each block's rows, block by block; nullopt unless each block has as many as without an order.
std::optional<std::vector<int64_t>> rows_by_block(const Tensor& block_of, int64_t K, int64_t block) {
  const std::vector<int64_t> blocks = integers_of(block_of);
  if (int64_t(blocks.size()) != K || block < 1) return std::nullopt;
  std::vector<int64_t> order(blocks.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return blocks[size_t(a)] < blocks[size_t(b)]; });
  for (int64_t k = 0; k < K; k++)
    if (blocks[size_t(order[size_t(k)])] != k / block) return std::nullopt;
  return order;
}

// Columns of `bits` bits each, the first in the lowest bits of a byte, in another order; the remaining bits are 0.
Tensor reordered_bits(const Tensor& packed, int64_t bits, const std::vector<int64_t>& order) {
  const int64_t width = packed.dims[1] * packed.dims[2], in_byte = 8 / bits, mask = (int64_t{1} << bits) - 1;
  std::vector<std::byte> bytes(static_cast<size_t>(packed.elements()));
  for (int64_t n = 0; n < packed.dims[0]; n++)
    for (size_t k = 0; k < order.size(); k++) {
      const int64_t from = order[k], to = int64_t(k);
      const int64_t value = packed.as<uint8_t>()[n * width + from / in_byte] >> (from % in_byte * bits) & mask;
      bytes[size_t(n * width + to / in_byte)] |= std::byte(value << (to % in_byte * bits));
    }
  return make_tensor(DType::u8, packed.dims, std::move(bytes));
}

}  // namespace

// If the rows of a block are not contiguous, weights and the columns of a are permuted.
void expand_ordered_weights(Expansion& e) {
  const Tensor *weights = e.constant(1), *block_of = e.constant(4);
  const int64_t bits = e.integer("bits", 4), block = e.integer("block_size", 0), K = e.integer("K", 0);
  if (!weights || !block_of || weights->dtype != DType::u8 || weights->dims.size() != 3) return;
  if (bits != 2 && bits != 4 && bits != 8) return;
  const auto order = rows_by_block(*block_of, K, block);
  if (!order || weights->dims[1] * weights->dims[2] * (8 / bits) < K) return;
  std::vector<ValueId> inputs = e.old.inputs;
  inputs[1] = e.graph.add_constant(e.old.name + " weights", reordered_bits(*weights, bits, *order));
  const auto bytes = std::as_bytes(std::span(*order));
  const ValueId positions = e.graph.add_constant(
      e.old.name + " order", make_tensor(DType::i64, {K}, std::vector<std::byte>(bytes.begin(), bytes.end())));
  inputs[0] = e.add("Gather", {inputs[0], positions}, {{"axis", int64_t(-1)}});
  inputs[4] = kNoValue;
  e.become("MatMulNBits", std::move(inputs), e.old.attributes, kMicrosoft);
}

// --- MatMulBnb4: a, weights as positions in a table of 16 numbers, the greatest magnitude of each block of them

namespace {

// The values of codes, relative to a block's greatest magnitude: 4-bit floats, and quantiles of a normal distribution
// (Dettmers et al., QLoRA).
constexpr float kFourBitFloats[16] = {0.f,  5.208333333e-03f,  2 / 3.f,  1.f,  1 / 3.f,  1 / 2.f,  1 / 6.f,  1 / 4.f,
                                      -0.f, -5.208333333e-03f, -2 / 3.f, -1.f, -1 / 3.f, -1 / 2.f, -1 / 6.f, -1 / 4.f};
constexpr float kNormalQuantiles[16] = {-1.0f,
                                        -0.6961928009986877f,
                                        -0.5250730514526367f,
                                        -0.39491748809814453f,
                                        -0.28444138169288635f,
                                        -0.18477343022823334f,
                                        -0.09105003625154495f,
                                        0.0f,
                                        0.07958029955625534f,
                                        0.16093020141124725f,
                                        0.24611230194568634f,
                                        0.33791524171829224f,
                                        0.44070982933044434f,
                                        0.5626170039176941f,
                                        0.7229568362236023f,
                                        1.0f};

}  // namespace

// Elements are contiguous, with a row of K elements for each column of the product; the upper half of a byte is first.
void expand_table_weights(Expansion& e) {
  const Tensor *weights = e.constant(1), *greatest = e.constant(2);
  const int64_t K = e.integer("K", 0), columns = e.integer("N", 0), block = e.integer("block_size", 0),
                type = e.integer("quant_type", 1);
  if (!weights || !greatest || weights->dtype != DType::u8 || !is_float(greatest->dtype) || K < 1 || columns < 1 ||
      block < 1 || (type != 0 && type != 1) || e.integer("transB", 1) != 1)
    return;
  const int64_t count = checked_mul(K, columns, "the weights");
  if (weights->elements() != count / 2 + count % 2 || greatest->elements() != (count - 1) / block + 1) return;
  const std::vector<double> magnitudes = numbers_of(*greatest);
  const float* table = type == 0 ? kFourBitFloats : kNormalQuantiles;
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; i++) {
    const int byte = weights->as<uint8_t>()[i / 2];
    const float part = table[i % 2 == 0 ? byte >> 4 : byte & 15];
    values[size_t(i % K * columns + i / K)] = double(part * float(magnitudes[size_t(i / block)]));
  }
  const Tensor wide = make_floats(greatest->dtype, {K, columns}, values);
  e.become("MatMul", {e.input(0), e.graph.add_constant(e.old.name + " weights", wide)}, {});
}

}  // namespace cppgen::passes
