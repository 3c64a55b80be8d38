#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/onednn_task.h"

namespace cppgen::rt {
namespace {

using dnnl::memory;

// Of a piece: below, a primitive reaches little of the peak. Columns are cut for single rows only: oneDNN's fast
// kernels want a dense output, which part of the columns of several rows is not.
constexpr int64_t kLeastRows = 32, kLeastColumns = 64;

// A call costs about 1 us, so a piece has some 10 us of arithmetic or memory traffic.
constexpr int64_t kLeastFlops = 2'000'000, kLeastBytes = 160'000;

constexpr int64_t kMaxParam = int64_t(1) << 48;

int64_t multiply(int64_t a, int64_t b) { return checked_mul(a, b, "matmul"); }

struct Matmul {
  std::span<const int64_t> params;

  int64_t operator[](OneDnnMatmulParam name) const { return params[size_t(name)]; }
  int64_t batches() const { return multiply((*this)[kMatBatch0], (*this)[kMatBatch1]); }

  // Elements from the first to the last of an operand with these sizes and strides.
  static int64_t span_of(std::initializer_list<std::pair<int64_t, int64_t>> sizes_and_strides) {
    int64_t last = 0;
    for (const auto& [size, stride] : sizes_and_strides) last = checked_add(last, multiply(size - 1, stride), "matmul");
    return last + 1;
  }
  int64_t a_span() const {
    const Matmul& p = *this;
    return span_of({{p[kMatBatch0], p[kMatABatch0]},
                    {p[kMatBatch1], p[kMatABatch1]},
                    {p[kMatM], p[kMatAM]},
                    {p[kMatK], p[kMatAK]}});
  }
  int64_t b_span() const {
    const Matmul& p = *this;
    return span_of({{p[kMatBatch0], p[kMatBBatch0]},
                    {p[kMatBatch1], p[kMatBBatch1]},
                    {p[kMatK], p[kMatBK]},
                    {p[kMatN], p[kMatBN]}});
  }
  int64_t out_span() const {
    const Matmul& p = *this;
    return span_of(
        {{p[kMatBatch0], p[kMatOutBatch0]}, {p[kMatBatch1], p[kMatOutBatch1]}, {p[kMatM], p[kMatOutM]}, {p[kMatN], 1}});
  }
};

void check_params(const Matmul& p, const OneDnnArguments& arguments, std::span<const int64_t> bytes) {
  for (int64_t value : p.params) onednn_require(value >= 0 && value < kMaxParam, "a parameter of a matmul");
  onednn_require(bytes.size() == arguments.output_index() + 1, "a matmul has the wrong number of buffers");
  onednn_require(p[kMatK] >= 1, "a matmul without depth");
  onednn_require(p[kMatAM] >= 1 && p[kMatAK] >= 1 && p[kMatBK] >= 1 && p[kMatBN] >= 1, "a stride of a matmul is 0");
  const int64_t elements = multiply(p.batches(), multiply(p[kMatM], p[kMatN]));
  if (elements == 0) return;
  // Chunks run at the same time, so each element has its own place.
  onednn_require(bytes[arguments.output_index()] / 4 >= elements, "size of the output of a matmul");
  onednn_require(p[kMatOutM] >= p[kMatN] || p[kMatM] == 1, "output rows of a matmul overlap");
  onednn_require(bytes[0] / 4 >= p.a_span() && bytes[1] / 4 >= p.b_span(), "size of an operand of a matmul");
  onednn_require(!arguments.bias || bytes[arguments.bias_index()] == 4 * p[kMatN], "size of the bias");
  onednn_require(bytes[arguments.output_index()] / 4 >= p.out_span(), "size of the output of a matmul");
  onednn_require(!arguments.add || bytes[arguments.add_index()] / 4 >= p.out_span(), "size of the addend of a matmul");
}

OneDnnPrimitive make_primitive(const dnnl::engine& engine, const Matmul& p, int64_t rows, int64_t columns,
                               bool any_weights) {
  constexpr auto f32 = memory::data_type::f32;
  const OneDnnArguments arguments(p[kMatFlags]);
  const int64_t k = p[kMatK];
  const memory::desc source({rows, k}, f32, memory::dims{rows == 1 && p[kMatAK] == 1 ? k : p[kMatAM], p[kMatAK]});
  const memory::desc output({rows, columns}, f32, memory::dims{rows == 1 ? columns : p[kMatOutM], 1});
  const memory::desc weights = any_weights ? memory::desc({k, columns}, f32, memory::format_tag::any)
                                           : memory::desc({k, columns}, f32, memory::dims{p[kMatBK], p[kMatBN]});
  const memory::desc bias = arguments.bias ? memory::desc({1, columns}, f32, memory::format_tag::ab) : memory::desc();
  const dnnl::matmul::desc desc =
      arguments.bias ? dnnl::matmul::desc(source, weights, bias, output) : dnnl::matmul::desc(source, weights, output);
  const dnnl::matmul::primitive_desc pd(desc, onednn_attributes(arguments, output), engine);
  return {dnnl::matmul(pd), source, pd.weights_desc(), bias, output, pd.scratchpad_desc()};
}

// How rows and columns of each batch are cut.
struct Cut {
  int64_t row_blocks, column_blocks, chunks;
};

Cut cut(const Matmul& p, int64_t min_chunk_size) {
  const int64_t m = p[kMatM], batches = p.batches();
  const int64_t work = multiply(batches, multiply(m, multiply(p[kMatN], p[kMatK])));  // multiply-adds
  // A few rows are bound by memory: all of `b` is read for them.
  const int64_t bytes = multiply(batches, multiply(4 * p[kMatK], p[kMatN]));
  const int64_t most_rows = (m + kLeastRows - 1) / kLeastRows;
  const int64_t most_columns = m == 1 ? (p[kMatN] + kLeastColumns - 1) / kLeastColumns : 1;
  const int64_t units = multiply(batches, multiply(most_rows, most_columns));
  const int64_t chunks = chunk_count(units, work, multiply(2, work), bytes, min_chunk_size);
  const int64_t worth = std::max({int64_t(1), 2 * (work / batches) / kLeastFlops, bytes / batches / kLeastBytes});
  const int64_t per_batch = std::min((chunks + batches - 1) / batches, worth);
  const int64_t row_blocks = std::min(per_batch, most_rows), column_blocks = std::min(per_batch, most_columns);
  return {row_blocks, column_blocks, std::min(chunks, multiply(batches, row_blocks * column_blocks))};
}

// Collects the pieces of a step; primitives are shared by pieces of equal size.
class Builder {
 public:
  Builder(const dnnl::engine& engine, OneDnnWeights& weights, const float* constant, const Matmul& params)
      : engine_(engine), weights_(weights), constant_(constant), p_(params) {}

  void add_batch(int64_t b0, int64_t b1, const Cut& cut) {
    for (int64_t c = 0; c < cut.column_blocks; c++)
      for (int64_t r = 0; r < cut.row_blocks; r++)
        add(b0, b1, chunk_range(p_[kMatM], cut.row_blocks, r), column_range(cut.column_blocks, c));
  }

  std::vector<OneDnnPrimitive> primitives;
  std::vector<OneDnnPiece> pieces;

 private:
  // Multiples of kLeastColumns, which packed weights are padded to.
  ChunkRange column_range(int64_t blocks, int64_t block) const {
    const int64_t units = (p_[kMatN] + kLeastColumns - 1) / kLeastColumns;
    const ChunkRange range = chunk_range(units, blocks, block);
    return {range.begin * kLeastColumns, std::min(range.end * kLeastColumns, p_[kMatN])};
  }

  void add(int64_t b0, int64_t b1, ChunkRange rows, ChunkRange columns) {
    OneDnnPiece piece{};
    piece.primitive = primitive(rows.end - rows.begin, columns.end - columns.begin);
    piece.source = b0 * p_[kMatABatch0] + b1 * p_[kMatABatch1] + rows.begin * p_[kMatAM];
    piece.weights = b0 * p_[kMatBBatch0] + b1 * p_[kMatBBatch1] + columns.begin * p_[kMatBN];
    piece.output = b0 * p_[kMatOutBatch0] + b1 * p_[kMatOutBatch1] + rows.begin * p_[kMatOutM] + columns.begin;
    piece.bias = columns.begin;
    if (constant_) {
      const memory::desc plain({p_[kMatK], columns.end - columns.begin}, memory::data_type::f32,
                               memory::dims{p_[kMatBK], p_[kMatBN]});
      piece.constant = weights_.get(constant_ + piece.weights, plain, primitives[piece.primitive].weights);
    }
    pieces.push_back(piece);
  }

  size_t primitive(int64_t rows, int64_t columns) {
    const auto known = std::find(sizes_.begin(), sizes_.end(), std::pair(rows, columns));
    if (known != sizes_.end()) return size_t(known - sizes_.begin());
    sizes_.emplace_back(rows, columns);
    primitives.push_back(make_primitive(engine_, p_, rows, columns, constant_ != nullptr));
    return sizes_.size() - 1;
  }

  const dnnl::engine& engine_;
  OneDnnWeights& weights_;
  const float* constant_;
  const Matmul& p_;
  std::vector<std::pair<int64_t, int64_t>> sizes_;  // rows, columns of each primitive
};

}  // namespace

std::shared_ptr<const LibraryTask> bind_onednn_matmul(const dnnl::engine& engine, OneDnnWeights& weights,
                                                      const float* constant, const BoundCall& call) {
  onednn_require(call.params.size() == kMatParams, "a matmul's parameter count");
  const Matmul p{call.params};
  const OneDnnArguments arguments(p[kMatFlags]);
  check_params(p, arguments, call.bytes);
  // Batches of constants would be reordered one by one: they stay as they are.
  const bool reorder = p[kMatBBatch0] == 0 && p[kMatBBatch1] == 0;
  Builder builder(engine, weights, reorder ? constant : nullptr, p);
  if (multiply(p.batches(), multiply(p[kMatM], p[kMatN])) == 0)
    return std::make_shared<OneDnnTask>(engine, arguments, builder.primitives, builder.pieces, 0);
  const Cut pieces = cut(p, call.min_chunk_size);
  for (int64_t b0 = 0; b0 < p[kMatBatch0]; b0++)
    for (int64_t b1 = 0; b1 < p[kMatBatch1]; b1++) builder.add_batch(b0, b1, pieces);
  return std::make_shared<OneDnnTask>(engine, arguments, std::move(builder.primitives), std::move(builder.pieces),
                                      pieces.chunks);
}

}  // namespace cppgen::rt
