#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/onednn_versions.h"
#include "runtime/onednn/onednn_task.h"

namespace cppgen::rt {
namespace {

using dnnl::memory;

// The minimum size of a piece: smaller primitives reach little of the peak. Columns are split only for single rows:
// oneDNN's fast kernels require a dense output, which part of the columns of several rows is not.
constexpr int64_t kLeastRows = 32, kLeastColumns = 64;

// A call costs about 1 us, so a piece has some 10 us of arithmetic or memory traffic.
constexpr int64_t kLeastFlops = 2'000'000, kLeastBytes = 160'000;

int64_t multiply(int64_t a, int64_t b) { return checked_mul(a, b, "matmul"); }

struct Matmul : OneDnnMatmul<int64_t> {
  OneDnnArguments arguments;

  int64_t batches() const { return multiply(batch0, batch1); }

  // Elements from the first to the last of an operand with these sizes and strides.
  static int64_t span_of(std::initializer_list<std::pair<int64_t, int64_t>> sizes_and_strides) {
    int64_t last = 0;
    for (const auto& [size, stride] : sizes_and_strides) last = checked_add(last, multiply(size - 1, stride), "matmul");
    return last + 1;
  }
  int64_t a_span() const { return span_of({{batch0, a_batch0}, {batch1, a_batch1}, {m, a_m}, {k, a_k}}); }
  int64_t b_span() const { return span_of({{batch0, b_batch0}, {batch1, b_batch1}, {k, b_k}, {n, b_n}}); }
  int64_t out_span() const { return span_of({{batch0, out_batch0}, {batch1, out_batch1}, {m, out_m}, {n, 1}}); }
};

void check_params(const Matmul& p, std::span<const int64_t> bytes) {
  const OneDnnArguments& arguments = p.arguments;
  onednn_require(bytes.size() == arguments.output_index() + 1, "a matmul has the wrong number of buffers");
  onednn_require(p.k >= 1, "a matmul has no K axis");
  onednn_require(p.a_m >= 1 && p.a_k >= 1 && p.b_k >= 1 && p.b_n >= 1, "a stride of a matmul is 0");
  const int64_t elements = multiply(p.batches(), multiply(p.m, p.n));
  if (elements == 0) return;
  // Chunks run at the same time, so each element has its own place.
  onednn_require(bytes[arguments.output_index()] / 4 >= elements, "size of the output of a matmul");
  onednn_require(p.out_m >= p.n || p.m == 1, "output rows of a matmul overlap");
  onednn_require(bytes[0] / 4 >= p.a_span() && bytes[1] / 4 >= p.b_span(), "size of an operand of a matmul");
  onednn_require(!arguments.bias || bytes[arguments.bias_index()] == 4 * p.n, "size of the bias");
  onednn_require(bytes[arguments.output_index()] / 4 >= p.out_span(), "size of the output of a matmul");
  onednn_require(!arguments.add || bytes[arguments.add_index()] / 4 >= p.out_span(), "size of the addend of a matmul");
}

OneDnnPrimitive make_primitive(const dnnl::engine& engine, const Matmul& p, int64_t rows, int64_t columns,
                               bool any_weights) {
  constexpr auto f32 = memory::data_type::f32;
  const OneDnnArguments& arguments = p.arguments;
  const int64_t k = p.k;
  const memory::desc source({rows, k}, f32, memory::dims{rows == 1 && p.a_k == 1 ? k : p.a_m, p.a_k});
  const memory::desc output({rows, columns}, f32, memory::dims{rows == 1 ? columns : p.out_m, 1});
  const memory::desc weights = any_weights ? memory::desc({k, columns}, f32, memory::format_tag::any)
                                           : memory::desc({k, columns}, f32, memory::dims{p.b_k, p.b_n});
  const memory::desc bias = arguments.bias ? memory::desc({1, columns}, f32, memory::format_tag::ab) : memory::desc();
  const auto pd =
      onednn::primitive_desc<dnnl::matmul>(engine, onednn_attributes(arguments, output), source, weights, bias, output);
  return {dnnl::matmul(pd), source, pd.weights_desc(), bias, output, pd.scratchpad_desc()};
}

// States how rows and columns of each batch are cut.
struct Cut {
  int64_t row_blocks, column_blocks, chunks;
};

Cut cut(const Matmul& p, int64_t min_chunk_size) {
  const int64_t m = p.m, batches = p.batches();
  const int64_t work = multiply(batches, multiply(m, multiply(p.n, p.k)));  // multiply-adds
  // A few rows are bound by memory: all of `b` is read for them.
  const int64_t bytes = multiply(batches, multiply(4 * p.k, p.n));
  const int64_t most_rows = (m + kLeastRows - 1) / kLeastRows;
  const int64_t most_columns = m == 1 ? (p.n + kLeastColumns - 1) / kLeastColumns : 1;
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
        add(b0, b1, chunk_range(p_.m, cut.row_blocks, r), column_range(cut.column_blocks, c));
  }

  std::vector<OneDnnPrimitive> primitives;
  std::vector<OneDnnPiece> pieces;

 private:
  // Multiples of kLeastColumns, which packed weights are padded to.
  ChunkRange column_range(int64_t blocks, int64_t block) const {
    const int64_t units = (p_.n + kLeastColumns - 1) / kLeastColumns;
    const ChunkRange range = chunk_range(units, blocks, block);
    return {range.begin * kLeastColumns, std::min(range.end * kLeastColumns, p_.n)};
  }

  void add(int64_t b0, int64_t b1, ChunkRange rows, ChunkRange columns) {
    OneDnnPiece piece{};
    piece.primitive = primitive(rows.end - rows.begin, columns.end - columns.begin);
    piece.source = b0 * p_.a_batch0 + b1 * p_.a_batch1 + rows.begin * p_.a_m;
    piece.weights = b0 * p_.b_batch0 + b1 * p_.b_batch1 + columns.begin * p_.b_n;
    piece.output = b0 * p_.out_batch0 + b1 * p_.out_batch1 + rows.begin * p_.out_m + columns.begin;
    piece.bias = columns.begin;
    if (constant_) {
      const memory::desc plain({p_.k, columns.end - columns.begin}, memory::data_type::f32,
                               memory::dims{p_.b_k, p_.b_n});
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
                                                      const float* constant, const OneDnnCall<int64_t>& fields,
                                                      const BoundCall& call) {
  const Matmul p{fields.matmul, OneDnnArguments(fields)};
  const OneDnnArguments& arguments = p.arguments;
  check_params(p, call.bytes);
  // Batches of constants would be reordered one by one: they stay as they are.
  const bool reorder = p.b_batch0 == 0 && p.b_batch1 == 0;
  Builder builder(engine, weights, reorder ? constant : nullptr, p);
  if (multiply(p.batches(), multiply(p.m, p.n)) == 0)
    return std::make_shared<OneDnnTask>(engine, arguments, builder.primitives, builder.pieces, 0);
  const Cut pieces = cut(p, call.min_chunk_size);
  for (int64_t b0 = 0; b0 < p.batch0; b0++)
    for (int64_t b1 = 0; b1 < p.batch1; b1++) builder.add_batch(b0, b1, pieces);
  return std::make_shared<OneDnnTask>(engine, arguments, std::move(builder.primitives), std::move(builder.pieces),
                                      pieces.chunks);
}

}  // namespace cppgen::rt
