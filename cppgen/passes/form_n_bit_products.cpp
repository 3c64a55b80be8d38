#include <algorithm>
#include <bit>
#include <optional>

#include "cppgen/ops/op.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kLeastBlock = 16, kUsualBlock = 128;

// Weights [K, columns], or [columns, K] if `transposed`, as a DequantizeLinear has them.
struct Weights {
  const Tensor *values, *scales, *zeros;  // zeros may be null
  bool transposed;
  int64_t k, columns;
  int64_t block;         // of K, for one scale
  bool scale_by_column;  // else there is one scale in a block for all columns
  bool scale_by_block;

  int64_t bits() const { return bits_of(values->dtype); }
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t half() const { return int64_t{1} << (bits() - 1); }
  // The offset that is added to signed bytes when they are stored.
  int64_t offset() const { return is_signed_int(values->dtype) ? half() : 0; }
  int64_t place(int64_t column, int64_t at) const { return transposed ? column * k + at : at * columns + column; }
  int64_t scale_place(int64_t column, int64_t b) const {
    if (!scale_by_column) return 0;
    if (!scale_by_block) return column;
    return transposed ? column * blocks() + b : b * columns + column;
  }
};

bool exchanges_two_dimensions(const Node& node) {
  auto found = node.attributes.find("perm");
  const auto* perm = found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  return !perm || *perm == std::vector<int64_t>{1, 0};
}

bool of_few_bits(DType t) { return t == DType::i4 || t == DType::u4 || t == DType::i8 || t == DType::u8; }

// Returns how scales belong to the weights; false if in a way that blocks of K cannot express.
bool find_scales(const Node& dequantize, Weights& w) {
  const int64_t block = integer_attribute(dequantize, "block_size", 0);
  int64_t axis = integer_attribute(dequantize, "axis", 1);
  if (axis < 0) axis += 2;
  const bool along_k = axis == (w.transposed ? 1 : 0);
  w.scale_by_block = block > 0;
  w.scale_by_column = w.scale_by_block || w.scales->elements() != 1 || !w.scales->dims.empty();
  if (w.scale_by_block) {
    w.block = block;
    return along_k && block >= kLeastBlock && std::has_single_bit(uint64_t(block));
  }
  w.block = std::min(kUsualBlock, int64_t(std::bit_ceil(uint64_t(std::max(w.k, kLeastBlock)))));
  if (w.scales->elements() == 1 && w.columns != 1) w.scale_by_column = false;
  return w.bits() == 4 && (!w.scale_by_column || !along_k);
}

std::optional<Weights> weights_of(const Graph& graph, const Node& product) {
  const DType type = graph.value(product.inputs[0]).type->dtype;
  ValueId right = product.inputs[1];
  const Node* turn = producer(graph, right, "Transpose");
  if (turn && exchanges_two_dimensions(*turn)) right = turn->inputs[0];
  const Node* dequantize = producer(graph, right, "DequantizeLinear");
  if (!dequantize || graph.value(right).type->dtype != type) return std::nullopt;
  Weights w{};
  w.values = constant_input(graph, *dequantize, 0);
  w.scales = constant_input(graph, *dequantize, 1);
  w.zeros = constant_input(graph, *dequantize, 2);
  const bool has_zeros = dequantize->inputs.size() > 2 && dequantize->inputs[2] != kNoValue;
  if (!w.values || !w.scales || has_zeros != (w.zeros != nullptr)) return std::nullopt;
  if (w.values->dims.size() != 2 || w.values->elements() == 0 || !of_few_bits(w.values->dtype)) return std::nullopt;
  if (w.scales->dtype != type || type == DType::f64) return std::nullopt;
  w.transposed = right != product.inputs[1];
  w.k = w.values->dims[w.transposed], w.columns = w.values->dims[!w.transposed];
  return find_scales(*dequantize, w) ? std::optional(w) : std::nullopt;
}

class Packer {
 public:
  explicit Packer(const Weights& w) : w_(w), values_(integers_of(*w.values)), scales_(numbers_of(*w.scales)) {
    if (w.zeros) zeros_ = integers_of(*w.zeros);
  }

  Tensor values() const {
    std::vector<std::byte> bytes(size_t(w_.columns * w_.blocks() * w_.block * w_.bits() / 8));
    for (int64_t column = 0; column < w_.columns; column++)
      for (int64_t k = 0; k < w_.k; k++)
        put(bytes, column * w_.blocks() * w_.block + k, values_[size_t(w_.place(column, k))]);
    return make_tensor(DType::u8, {w_.columns, w_.blocks(), w_.block * w_.bits() / 8}, std::move(bytes));
  }

  Tensor scales() const {
    std::vector<double> values;
    for (int64_t column = 0; column < w_.columns; column++)
      for (int64_t b = 0; b < w_.blocks(); b++) values.push_back(scales_[size_t(w_.scale_place(column, b))]);
    return make_floats(w_.scales->dtype, {w_.columns, w_.blocks()}, values);
  }

  bool usual_zeros() const {
    if (zeros_.empty()) return w_.offset() == w_.half();
    return std::all_of(zeros_.begin(), zeros_.end(), [&](int64_t z) { return z + w_.offset() == w_.half(); });
  }
  Tensor zeros() const {
    const int64_t row = (w_.blocks() * w_.bits() + 7) / 8;
    std::vector<std::byte> bytes(size_t(w_.columns * row));
    for (int64_t column = 0; column < w_.columns; column++)
      for (int64_t b = 0; b < w_.blocks(); b++)
        put(bytes, column * row * 8 / w_.bits() + b, zeros_.empty() ? 0 : zeros_[size_t(w_.scale_place(column, b))]);
    return make_tensor(DType::u8, {w_.columns, row}, std::move(bytes));
  }

 private:
  const Weights& w_;
  std::vector<int64_t> values_;
  std::vector<double> scales_;
  std::vector<int64_t> zeros_;

  // Field `i` of bytes that hold one or two.
  void put(std::vector<std::byte>& bytes, int64_t i, int64_t value) const {
    const int64_t in_byte = 8 / w_.bits();
    bytes[size_t(i / in_byte)] |= std::byte((value + w_.offset()) << (i % in_byte * w_.bits()));
  }
};

void rewrite(Graph& graph, NodeId id, const Weights& w) {
  const Packer packer(w);
  const std::string name = graph.nodes[size_t(id)].name;
  const auto constant = [&](const char* suffix, Tensor t) { return graph.add_constant(name + suffix, std::move(t)); };
  const std::map<std::string, Attribute> attributes{
      {"K", w.k}, {"N", w.columns}, {"bits", w.bits()}, {"block_size", w.block}};
  Tensor values = packer.values(), scales = packer.scales();
  std::optional<Tensor> zeros;
  if (!packer.usual_zeros()) zeros = packer.zeros();
  // From here on constants are added, which moves the tensors that `w` points to.
  std::vector<ValueId> inputs = {graph.nodes[size_t(id)].inputs[0], constant("/weights", std::move(values)),
                                 constant("/scales", std::move(scales))};
  if (zeros) inputs.push_back(constant("/zeros", std::move(*zeros)));
  Node& node = graph.nodes[size_t(id)];
  node.op = "MatMulNBits", node.domain = "com.microsoft", node.opset = 1;
  node.inputs = std::move(inputs);
  node.attributes = attributes, node.facts = {};
  ops::infer_node(graph, id);
}

}  // namespace

void form_n_bit_products(Graph& graph, const PassOptions&) {
  for (NodeId id = 0; id < NodeId(graph.nodes.size()); id++) {
    const Node& node = graph.nodes[size_t(id)];
    if (!node.domain.empty() || node.op != "MatMul" || graph.value(node.inputs[0]).type->shape.empty()) continue;
    if (auto weights = weights_of(graph, node)) rewrite(graph, id, *weights);
  }
}

}  // namespace cppgen::passes
