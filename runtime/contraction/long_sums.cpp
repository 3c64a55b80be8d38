#include "runtime/contraction/long_sums.h"

#include <algorithm>

namespace cppgen::rt {
namespace {

constexpr int kMostRows = 32, kMostColumns = 64;

class LongTile {
 public:
  LongTile(const BlockTile& tile, const void* panel, long distance, float* results, long ldc, long ahead)
      : tile_(tile),
        panel_(static_cast<const char*>(panel)),
        distance_(distance),
        results_(results),
        ldc_(ldc),
        ahead_(ahead) {}

  void add(const void* const* left, long taps, long K, const char* panel) {
    (blocks_ == 0 ? tile_.first : tile_.next)(left, taps, K, panel, distance_, results_, ldc_, ahead_of(panel));
    if (++blocks_ == kGroupBlocks) end_group();
  }
  // One tap, in blocks of `terms` products.
  void add_blocks(const void* const* left, long terms, long K, const char* panel) {
    for (long k = 0; k < K; k += terms) {
      const void* rows[kMostRows];
      for (int r = 0; r < tile_.rows; r++)
        rows[r] = left[0] ? static_cast<const char*>(left[r]) + k * tile_.left_bytes : nullptr;
      add(rows, 1, std::min(terms, K - k), panel + k * tile_.panel_bytes);
    }
  }
  void finish() {
    if (groups_ == 0) return;
    if (blocks_ > 0) end_group();
    for (int r = 0; r < tile_.rows; r++) std::copy_n(totals_[r], tile_.columns, results_ + r * ldc_);
  }

 private:
  const BlockTile& tile_;
  const char* panel_;
  long distance_;
  float* results_;
  long ldc_, ahead_, blocks_ = 0, groups_ = 0;
  float totals_[kMostRows][kMostColumns];

  // Blocks prefetch what follows that of the block before.
  long ahead_of(const char* panel) const {
    if (ahead_ == 0) return 0;
    const long done = panel - panel_, fetched = done / tile_.panel_bytes * (ahead_ % kLineBytes * kAheadStep);
    return ahead_ + (fetched - done) / kLineBytes * kLineBytes;
  }
  void end_group() {
    for (int r = 0; r < tile_.rows; r++)
      for (int j = 0; j < tile_.columns; j++)
        totals_[r][j] = (groups_ == 0 ? 0 : totals_[r][j]) + results_[r * ldc_ + j];
    groups_++, blocks_ = 0;
  }
};

}  // namespace

void sum_blocks(const BlockTile& tile, const void* const* left, long taps, long K, const void* panel, long distance,
                float* results, long ldc, long ahead) {
  LongTile sums(tile, panel, distance, results, ldc, ahead);
  const long group = tile.k_group, tap_bytes = (K + group - 1) / group * group * tile.panel_bytes;
  const char* of_tap = static_cast<const char*>(panel);
  if (K <= kWholeTerms) {
    const long most = taps_of_block(K);
    for (long t = 0; t < taps; t += most)
      sums.add(left + t * tile.rows, std::min(most, taps - t), K, of_tap + t * tap_bytes);
    return sums.finish();
  }
  for (long t = 0; t < taps; t++, left += tile.rows, of_tap += tap_bytes) sums.add_blocks(left, kBlockTerms, K, of_tap);
  sums.finish();
}

}  // namespace cppgen::rt
