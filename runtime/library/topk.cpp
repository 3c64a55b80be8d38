#include "runtime/library/topk.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/base/dtype.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

// Maps the elements to integers of the same order, so that one comparison serves all types: floats by their bits (NaN
// of either sign above infinity, -0 equal to +0).
template <class Bits>
uint64_t float_key(Bits bits, Bits infinity) {
  constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const Bits magnitude = bits & Bits(~sign);
  if (magnitude > infinity) return Bits(~Bits(0));
  if (magnitude == 0) return sign;
  return bits & sign ? Bits(~bits) : Bits(bits | sign);
}

template <class Int>
uint64_t load_int(const char* p) {
  Int value;
  std::memcpy(&value, p, sizeof value);
  return uint64_t(int64_t(value)) ^ (std::is_signed_v<Int> ? uint64_t(1) << 63 : 0);
}

template <class Bits>
Bits load_bits(const char* p) {
  Bits bits;
  std::memcpy(&bits, p, sizeof bits);
  return bits;
}

uint64_t key_at(DType type, const char* p) {
  switch (type) {
    case DType::f32:
      return float_key<uint32_t>(load_bits<uint32_t>(p), 0x7F800000);
    case DType::f64:
      return float_key<uint64_t>(load_bits<uint64_t>(p), 0x7FF0000000000000);
    case DType::f16:
      return float_key<uint16_t>(load_bits<uint16_t>(p), 0x7C00);
    case DType::bf16:
      return float_key<uint16_t>(load_bits<uint16_t>(p), 0x7F80);
    case DType::i8:
      return load_int<int8_t>(p);
    case DType::i16:
      return load_int<int16_t>(p);
    case DType::i32:
      return load_int<int32_t>(p);
    case DType::i64:
      return load_int<int64_t>(p);
    case DType::u8:
    case DType::boolean:
      return load_int<uint8_t>(p);
    case DType::u16:
      return load_int<uint16_t>(p);
    case DType::u32:
      return load_int<uint32_t>(p);
    case DType::u64:
      return load_int<uint64_t>(p);
    default:
      break;
  }
  internal_error("topk: type {}", int(type));
}

struct Candidate {
  uint64_t key;
  int64_t index;
  bool operator<(const Candidate& other) const { return key != other.key ? key > other.key : index < other.index; }
};

class TopKTask : public LibraryTask {
 public:
  explicit TopKTask(const BoundCall& call)
      : type_(DType(call.params[kTopKDType])),
        outer_(call.params[kTopKOuter]),
        axis_(call.params[kTopKAxis]),
        inner_(call.params[kTopKInner]),
        k_(call.params[kTopKCount]),
        largest_(call.params[kTopKLargest] != 0) {
    const int64_t rows = outer_ * inner_;
    // Selecting costs some 10 ns per element, as much time as 1000 operations of well-vectorised arithmetic.
    const int64_t flops = 1000 * std::min(rows * axis_, int64_t(1) << 50);
    chunks_ = k_ == 0 ? 0 : chunk_count(rows, rows * axis_, flops, 0, call.min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return axis_ * int64_t(sizeof(Candidate)); }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    const ChunkRange rows = chunk_range(outer_ * inner_, chunks_, chunk);
    for (int64_t row = rows.begin; row < rows.end; row++) run_row(buffers, row, reinterpret_cast<Candidate*>(scratch));
  }

 private:
  void run_row(std::span<void* const> buffers, int64_t row, Candidate* candidates) const {
    const int64_t outer = row / inner_, inner = row % inner_, size = int64_t(size_of(type_));
    const char* x = static_cast<const char*>(buffers[0]) + (outer * axis_ * inner_ + inner) * size;
    for (int64_t i = 0; i < axis_; i++) {
      const uint64_t key = key_at(type_, x + i * inner_ * size);
      candidates[i] = {largest_ ? key : ~key, i};
    }
    std::partial_sort(candidates, candidates + k_, candidates + axis_);
    const int64_t first = outer * k_ * inner_ + inner;
    char* values = static_cast<char*>(buffers[1]) + first * size;
    int64_t* indices = static_cast<int64_t*>(buffers[2]) + first;
    for (int64_t i = 0; i < k_; i++) {
      std::memcpy(values + i * inner_ * size, x + candidates[i].index * inner_ * size, size_t(size));
      indices[i * inner_] = candidates[i].index;
    }
  }

  DType type_;
  int64_t outer_, axis_, inner_, k_;
  bool largest_;
  int64_t chunks_;
};

class TopK : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    if (call.params.size() != kTopKParams) user_error("plan: topk has {} parameters", call.params.size());
    for (int64_t value : call.params)
      if (value < 0) user_error("plan: topk has the parameter {}", value);
    if (call.params[kTopKDType] > int64_t(DType::boolean)) user_error("plan: topk of type {}", call.params[kTopKDType]);
    const int64_t k = call.params[kTopKCount], axis = call.params[kTopKAxis];
    if (k > axis) user_error("TopK: k is {}, but the axis has {} elements", k, axis);
    const int64_t rows = checked_mul(call.params[kTopKOuter], call.params[kTopKInner], "topk");
    const auto size = int64_t(size_of(DType(call.params[kTopKDType])));
    const int64_t results = checked_mul(rows, k, "topk");
    if (call.bytes[0] != checked_mul(checked_mul(rows, axis, "topk"), size, "topk") ||
        call.bytes[1] != checked_mul(results, size, "topk") || call.bytes[2] != checked_mul(results, 8, "topk"))
      user_error("plan: the buffers of topk have other sizes than its parameters say");
    checked_mul(axis, sizeof(Candidate), "topk");  // the scratch of a row
    return std::make_shared<TopKTask>(call);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_topk(const LibraryCall& call) {
  if (call.input_count != 1 || call.output_count != 2)
    user_error("plan: topk has {} inputs and {} outputs; expected 1 and 2", call.input_count, call.output_count);
  return std::make_unique<TopK>();
}

}  // namespace cppgen::rt
