// The numbers of products that direct sums add in one accumulator (long_sums.h). No standard headers: see tiles.h.
#pragma once

namespace cppgen::rt {

constexpr long kWholeTerms = 1152, kBlockTerms = 512;

// Of a sum over so many taps of K products each.
constexpr long terms_of_block(long taps, long K) {
  if (K > kWholeTerms) return kBlockTerms;
  const long most = K > 0 ? kWholeTerms / K : taps;
  return (most < taps ? most : taps) * K;
}

}  // namespace cppgen::rt
