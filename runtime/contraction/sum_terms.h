// The numbers of products that direct sums add in one accumulator (long_sums.h). No standard headers: see tiles.h.
#pragma once

namespace cppgen::rt {

constexpr long kWholeTerms = 1152, kBlockTerms = 512;

// Returns the number of taps of at most kWholeTerms products that are added in one accumulator.
constexpr long taps_of_block(long K) { return kWholeTerms / (K > 0 ? K : 1); }

// Returns the number of products of a sum over `taps` taps of K products each that are added in one accumulator.
constexpr long terms_of_block(long taps, long K) {
  if (K > kWholeTerms) return kBlockTerms;
  return (taps_of_block(K) < taps ? taps_of_block(K) : taps) * K;
}

}  // namespace cppgen::rt
