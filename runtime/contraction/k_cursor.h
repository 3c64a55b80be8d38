#pragma once

namespace cppgen::rt::TILE_ISA {

// Walks along K of one row of T through all taps, in steps of Step elements. `row` is that of the first tap; the same
// row of the next is `row_count` further.
template <class T, int Step>
class KCursor {
 public:
  __attribute__((always_inline)) KCursor(const void* const* row, long row_count, long taps, long K)
      : row_(row), row_count_(row_count), taps_(taps), k_(K) {}

  // The number of whole steps that are contiguous in memory; take() skips them.
  __attribute__((always_inline)) long steps_in_place() const { return tap_ < taps_ ? (k_ - at_) / Step : 0; }
  __attribute__((always_inline)) const T* take(long steps) {
    const T* p = current();
    advance(steps * Step);
    return p;
  }
  // One step gathered from several taps, padded with zeros.
  __attribute__((always_inline)) void collect(T* buffer) {
    long filled = 0;
    while (filled < Step && tap_ < taps_) {
      const long rest = k_ - at_, room = Step - filled, n = rest < room ? rest : room;
      __builtin_memcpy(buffer + filled, current(), (unsigned long)n * sizeof(T));
      advance(n), filled += n;
    }
    __builtin_memset(buffer + filled, 0, (unsigned long)(Step - filled) * sizeof(T));
  }

 private:
  const void* const* row_;
  long row_count_, taps_, k_, tap_ = 0, at_ = 0;

  __attribute__((always_inline)) const T* current() const { return (const T*)row_[tap_ * row_count_] + at_; }
  __attribute__((always_inline)) void advance(long n) {
    at_ += n;
    if (at_ == k_) tap_++, at_ = 0;
  }
};

}  // namespace cppgen::rt::TILE_ISA
