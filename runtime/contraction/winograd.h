// Winograd's minimal filtering for convolutions of 3 or 5 taps along one or both directions: passive
// data for the schedule, the packing of weights, and the transforms. Source: A. Lavin, S. Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2016; the matrices follow from the points below as in S. Winograd, "Arithmetic
// Complexity of Computations", 1980.
//
// A patch of side x side results with stride 1 takes (side + taps - 1)^2 products for each input and output channel
// instead of taps^2 * side^2:
//
//   results = A' [ sum over channels of (G weights G') * (B' inputs B) ] A
//
// Along one direction, a patch of `side` results takes side + taps - 1 products instead of taps * side, and G, B and A
// are applied once. With stride 2, even and odd inputs are convolved by themselves, with the even and the odd taps,
// which makes 5 x 5 products instead of 36 for 2 x 2 results of 3 x 3 taps. The transforms need additions and a few
// products for each channel. Results are rounded differently from those of direct convolutions; docs/tuning.md states
// the errors. An input that is infinite or not a number, or a transform that overflows, makes all results that depend
// on it infinite or not a number, also where a direct sum would be another one. So a patch with such a result is
// computed again, directly, from the weights themselves, which follow the transformed ones.
#pragma once

#include "runtime/contraction/sum_terms.h"

namespace cppgen::rt::winograd {

// Patches of side x side results of convolutions of taps x taps; or, if they are flat, of `side` results along the only
// direction that has taps. The stride is that along directions with taps.
struct Form {
  int side = 0, taps = 3;
  bool flat = false;
  int stride = 1;
  friend constexpr bool operator==(const Form&, const Form&) = default;
};

// The forms that exist, in the order of the tables of functions that kernels receive.
inline constexpr Form kForms[] = {{2, 3}, {4, 3}, {2, 5}, {2, 3, true}, {4, 3, true}, {2, 5, true}, {2, 3, false, 2}};
inline constexpr int kFormCount = sizeof kForms / sizeof *kForms;

// Formats of tiles for the products, which are the first ones: f32, f32_wide, f32_narrow.
constexpr int kFormatCount = 3;

// The number of a form in these tables; kFormCount if it does not exist.
constexpr int number_of(Form form) {
  int number = 0;
  while (number < kFormCount && kForms[number] != form) number++;
  return number;
}

// The side of the patch of inputs, and of the square, or line, of products.
constexpr int window(Form form) { return (form.side - 1) * form.stride + form.taps; }
constexpr int products(Form form) { return form.flat ? window(form) : window(form) * window(form); }
constexpr int direct_taps(Form form) { return form.flat ? form.taps : form.taps * form.taps; }
constexpr int results(Form form) { return form.flat ? form.side : form.side * form.side; }

// At least as many as any form has.
constexpr int kMostProducts = 36, kMostResults = 16;

// The polynomials are evaluated at 0, at plus and minus these points, and at infinity. Those of window 6 are chosen for
// a small error: with 1 and 2 it would be twice as large.
template <int Window>
struct Points;
template <>
struct Points<4> {
  static constexpr float kValues[] = {1};
};
template <>
struct Points<6> {
  static constexpr float kValues[] = {0.625f, 1.5f};
};

// States how exact results must be: as those of direct sums, or with at most three times their error.
enum class Accuracy { like_direct, relaxed };

// Returns whether a direct sum is one block (sum_terms.h).
constexpr bool is_one_block(Form form, long channels) {
  return terms_of_block(direct_taps(form), channels) == direct_taps(form) * channels;
}

// Sums of products over channels are computed in blocks of so many channels (PatchProducts in tiles.h). Where results
// must be like those of direct sums, blocks are shorter, the shorter those of direct sums are: the transforms of window
// 6 multiply their errors, and direct sums along one direction have few taps in each block.
constexpr int block_terms(Form form, Accuracy accuracy, long channels) {
  const bool is_small = !form.flat && window(form) < 6;
  if (accuracy == Accuracy::relaxed) return is_small ? 256 : 128;
  if (form.flat) return window(form) == 4 || channels >= 128 ? 64 : 32;
  const long direct = terms_of_block(direct_taps(form), channels);
  if (is_small) return direct >= 768 ? 256 : 128;
  if (form.taps == 5) return direct >= 1080 ? 16 : 8;
  const bool whole = is_one_block(form, channels);
  return direct >= (whole ? 860 : 1000) ? 24 : direct >= (whole ? 720 : 880) ? 16 : 8;
}

// Returns whether the error is that of direct sums, which is smaller where these have few terms or short blocks.
constexpr bool is_like_direct(Form form, long channels) {
  if (window(form) < 6) return true;
  if (form.flat) return form.taps == 3 ? channels >= 96 : channels >= 48;
  if (is_one_block(form, channels)) return form.taps == 3 ? channels >= 64 : channels >= 24;
  return terms_of_block(direct_taps(form), channels) >= (form.taps == 3 ? 768 : 860);
}

}  // namespace cppgen::rt::winograd
