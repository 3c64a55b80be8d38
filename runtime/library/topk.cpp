#include "runtime/plan/calls/topk.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/library/functions.h"
#include "runtime/library/order_keys.h"

namespace cppgen::rt {
namespace {

// Orders keys as in the result: the smaller key, then the smaller index, comes first. Keys of 32 bits and indices share
// an integer.
struct Candidate {
  uint64_t key;
  int64_t index;
  bool operator<(const Candidate& other) const { return key != other.key ? key < other.key : index < other.index; }
};
struct Packed {
  uint64_t bits;
  bool operator<(const Packed& other) const { return bits < other.bits; }
};

int64_t index_of(const Candidate& c) { return c.index; }
int64_t index_of(const Packed& p) { return int64_t(p.bits & 0xFFFFFFFF); }
Candidate entry(const Candidate*, uint64_t key, int64_t index) { return {key, index}; }
Packed entry(const Packed*, uint64_t key, int64_t index) { return {key << 32 | uint64_t(index)}; }

// Sorts entries that are in the order of their indices, by 11 bits of the key at a time.
void radix_sort(Packed* entries, Packed* other, int64_t count) {
  constexpr int kBits = 11, kPasses = 3;
  constexpr uint64_t kMask = (1 << kBits) - 1;
  std::array<std::array<uint32_t, kMask + 1>, kPasses> starts{};
  for (int64_t i = 0; i < count; i++)
    for (int pass = 0; pass < kPasses; pass++) starts[size_t(pass)][entries[i].bits >> (32 + kBits * pass) & kMask]++;
  for (auto& counts : starts) {
    uint32_t sum = 0;
    for (uint32_t& n : counts) sum += std::exchange(n, sum);
  }
  for (int pass = 0; pass < kPasses; pass++, std::swap(entries, other))
    for (int64_t i = 0; i < count; i++)
      other[starts[size_t(pass)][entries[i].bits >> (32 + kBits * pass) & kMask]++] = entries[i];
  std::copy_n(entries, count, other);  // an odd number of passes
}

constexpr int64_t kShort = 1024;  // below this comparisons are faster

void sort_all(Packed* entries, int64_t count) {
  if (count < kShort) return std::sort(entries, entries + count);
  radix_sort(entries, entries + count, count);
}
void sort_all(Candidate* entries, int64_t count) { std::sort(entries, entries + count); }

// The first k entries of a row in their order. Most elements of a long row rank below the k best so far; whole blocks
// of them are found by comparing their numbers.
template <class Key, class Entry>
class Row {
 public:
  using Stored = typename Key::Stored;

  Row(Entry* entries, int64_t k, bool largest)
      : entries_(entries), k_(k), largest_(largest), flip_(largest ? ~uint64_t(0) : 0) {}

  const Entry* select(const Stored* x, int64_t count, int64_t step) {
    if (k_ <= kFew) return select_few(x, count, step);
    if (k_ * 4 > count || count <= kBlock) return select_of_all(x, count, step);
    const int64_t room = std::min(count, 2 * k_ + kBlock);
    int64_t filled = 0;
    std::optional<Stored> worst;
    for_each_block(x, count, step, worst, [&](const Stored* values, int64_t begin, int64_t width) {
      for (int64_t i = 0; i < width; i++)
        if (!worst || key(values[i]) < key(*worst)) entries_[filled++] = entry(entries_, key(values[i]), begin + i);
      if (filled + kBlock > room && keep_best(filled)) worst = x[index_of(entries_[k_ - 1]) * step];
    });
    keep_best(filled);
    std::sort(entries_, entries_ + k_);
    return entries_;
  }

 private:
  using KeyBits = decltype(Key::of(Stored()));
  static constexpr int64_t kBlock = 16, kFew = 16;

  KeyBits key(Stored value) const { return KeyBits(Key::of(value) ^ KeyBits(flip_)); }

  // Returns whether a value of the block may precede `worst`. A NaN, there or here, always may.
  bool any_may_precede(const Stored* values, Stored worst) const {
    const auto limit = Key::number(worst);
    int any = 0;
    if (largest_)
      for (int64_t i = 0; i < kBlock; i++) any |= int(!(Key::number(values[i]) <= limit));
    else
      for (int64_t i = 0; i < kBlock; i++) any |= int(!(Key::number(values[i]) >= limit));
    return any != 0;
  }

  // Visits the blocks that may contain a value that precedes `worst`, which the visits change.
  template <class Visit>
  void for_each_block(const Stored* x, int64_t count, int64_t step, const std::optional<Stored>& worst,
                      const Visit& visit) const {
    Stored copied[kBlock];
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t width = std::min(kBlock, count - begin);
      const Stored* values = x + begin;
      if (step != 1) {
        for (int64_t i = 0; i < width; i++) copied[i] = x[(begin + i) * step];
        values = copied;
      }
      if (width < kBlock || !worst || any_may_precede(values, *worst)) visit(values, begin, width);
    }
  }

  // Drops all but the k best of the entries; the last of these is the worst. False if there are fewer.
  bool keep_best(int64_t& filled) const {
    if (filled < k_) return false;
    std::nth_element(entries_, entries_ + k_ - 1, entries_ + filled);
    filled = k_;
    return true;
  }

  // Equal keys keep their order.
  void insert(Entry candidate, int64_t& filled) const {
    int64_t at = filled < k_ ? filled++ : k_ - 1;
    for (; at > 0 && candidate < entries_[at - 1]; at--) entries_[at] = entries_[at - 1];
    entries_[at] = candidate;
  }

  const Entry* select_few(const Stored* x, int64_t count, int64_t step) {
    int64_t filled = 0;
    std::optional<Stored> worst;
    for_each_block(x, count, step, worst, [&](const Stored* values, int64_t begin, int64_t width) {
      for (int64_t i = 0; i < width; i++) {
        if (worst && key(values[i]) >= key(*worst)) continue;
        insert(entry(entries_, key(values[i]), begin + i), filled);
        if (filled == k_) worst = x[index_of(entries_[k_ - 1]) * step];
      }
    });
    return entries_;
  }

  const Entry* select_of_all(const Stored* x, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; i++) entries_[i] = entry(entries_, key(x[i * step]), i);
    if (k_ * 4 > count) {
      sort_all(entries_, count);
    } else {
      std::partial_sort(entries_, entries_ + k_, entries_ + count);
    }
    return entries_;
  }

  Entry* entries_;
  int64_t k_;
  bool largest_;
  uint64_t flip_;
};

class TopKTask : public LibraryTask {
 public:
  TopKTask(const TopKCall<int64_t>& call, int64_t min_chunk_size)
      : type_(call.type), outer_(call.outer), axis_(call.axis), inner_(call.inner), k_(call.k), largest_(call.largest) {
    const int64_t rows = outer_ * inner_;
    // Selecting costs some nanoseconds per element, as much time as 300 operations of well-vectorised arithmetic.
    const int64_t flops = 300 * std::min(rows * axis_, int64_t(1) << 50);
    chunks_ = k_ == 0 ? 0 : chunk_count(rows, rows * axis_, flops, 0, min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return axis_ * int64_t(sizeof(Candidate)); }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    const ChunkRange rows = chunk_range(outer_ * inner_, chunks_, chunk);
    with_key(type_, [&]<class Key>() {
      if constexpr (sizeof(typename Key::Stored) == 4)  // others are rare, and each variant is code
        if (axis_ <= int64_t(1) << 31) return run_rows<Key, Packed>(buffers, rows, scratch);
      run_rows<Key, Candidate>(buffers, rows, scratch);
    });
  }

 private:
  template <class Key, class Entry>
  void run_rows(std::span<void* const> buffers, ChunkRange rows, char* scratch) const {
    using Stored = typename Key::Stored;
    Row<Key, Entry> selector(reinterpret_cast<Entry*>(scratch), k_, largest_);
    for (int64_t row = rows.begin; row < rows.end; row++) {
      const int64_t outer = row / inner_, inner = row % inner_, first = outer * k_ * inner_ + inner;
      const Stored* x = static_cast<const Stored*>(buffers[0]) + outer * axis_ * inner_ + inner;
      const Entry* best = selector.select(x, axis_, inner_);
      Stored* values = static_cast<Stored*>(buffers[1]) + first;
      int64_t* indices = static_cast<int64_t*>(buffers[2]) + first;
      for (int64_t i = 0; i < k_; i++) {
        const int64_t from = index_of(best[i]);
        values[i * inner_] = x[from * inner_];
        indices[i * inner_] = from;
      }
    }
  }

  DType type_;
  int64_t outer_, axis_, inner_, k_;
  bool largest_;
  int64_t chunks_;
};

class TopK : public LibraryOperator {
 public:
  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const TopKCall<int64_t> call = read_call<TopKCall<int64_t>>(kTopK, bound);
    if (is_narrow(call.type)) user_error("plan: topk of type {}", name_of(call.type));
    const int64_t rows = checked_mul(call.outer, call.inner, "topk");
    if (call.k > call.axis && rows > 0) user_error("TopK: k is {}, but the axis has {} elements", call.k, call.axis);
    const auto size = int64_t(size_of(call.type));
    const int64_t results = checked_mul(rows, call.k, "topk");
    if (bound.bytes[0] != checked_mul(checked_mul(rows, call.axis, "topk"), size, "topk") ||
        bound.bytes[1] != checked_mul(results, size, "topk") || bound.bytes[2] != checked_mul(results, 8, "topk"))
      user_error("plan: the sizes of the buffers of topk do not match its parameters");
    checked_mul(call.axis, sizeof(Candidate), "topk");  // the scratch of a row
    return std::make_shared<TopKTask>(call, bound.min_chunk_size);
  }
};

}  // namespace

std::unique_ptr<LibraryOperator> create_topk(const LibraryCall& call) {
  if (call.input_count != 1 || call.output_count != 2)
    user_error("plan: topk has {} inputs and {} outputs; expected 1 and 2", call.input_count, call.output_count);
  return std::make_unique<TopK>();
}

}  // namespace cppgen::rt
