// Winograd's minimal filtering for convolutions of 3 x 3 taps with stride 1: passive data for the schedule, the packing
// of weights, and the transforms. Source: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016;
// the matrices follow from the points below as in S. Winograd, "Arithmetic Complexity of Computations", 1980.
//
// A patch of side x side results takes (side + 2)^2 products for each input and output channel instead of 9 * side^2:
//
//   results = A' [ sum over channels of (G weights G') * (B' inputs B) ] A
//
// The transforms need additions and a few products for each channel. Results are rounded differently from those of
// direct convolutions; docs/tuning.md states the errors. An input that is infinite or not a number, or a transform that
// overflows, makes all results that depend on it infinite or not a number, also where a direct sum would be another
// one. So a patch with such a result is computed again, directly, from the weights themselves, which follow the
// transformed ones.
#pragma once

namespace cppgen::rt::winograd {

// The polynomials are evaluated at 0, at plus and minus these points, and at infinity. Those of side 4 are chosen for a
// small error: with 1 and 2 it would be twice as large.
template <int Side>
struct Points;
template <>
struct Points<2> {
  static constexpr float kValues[] = {1};
};
template <>
struct Points<4> {
  static constexpr float kValues[] = {0.625f, 1.5f};
};

// The side of the patch of inputs, and of the square of products.
inline constexpr int window(int side) { return side + 2; }
inline constexpr int products(int side) { return window(side) * window(side); }

inline constexpr int kTaps = 9;  // of a direct sum

// Sums of products over channels are computed in blocks of so many channels (sum_short_blocks in long_sums.h), because
// the transform of the results of side 4 multiplies their errors.
inline constexpr int block_terms(int side) { return side == 2 ? 256 : 16; }

// Patches of side 4 have the error of direct sums from so many channels on.
inline constexpr long kLeastChannels = 128;

}  // namespace cppgen::rt::winograd
