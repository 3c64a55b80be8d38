// The transforms of Winograd convolutions (winograd.h) over the vectors of tile_body.h, whose lanes are channels, for
// translation units that include it before. For what they compute see WinogradTransforms in tiles.h.
#pragma once

#include "runtime/contraction/winograd.h"

namespace cppgen::rt::TILE_ISA {

// The points of a window, and the transform B' d of its inputs.
template <int Window>
struct WinogradWindow;

// Points 0, +-1, infinity.
template <>
struct WinogradWindow<4> {
  TILE_FN void input(Vector (&d)[4]) {
    const Vector even = d[2], odd = d[1];
    d[0] = even - d[0], d[3] = d[3] - odd;
    d[1] = even + odd, d[2] = even - odd;
  }
};

// With stride 2, the even inputs are transformed at the points 0, 1, infinity, and the odd ones, which have one tap, as
// they are.
template <>
struct WinogradWindow<5> {
  TILE_FN void input(Vector (&d)[5]) {
    const Vector odd = d[1], last = d[3];
    d[0] = d[0] - d[2], d[1] = d[2], d[2] = d[4] - d[2];
    d[3] = odd, d[4] = last;
  }
};

// Points 0, +-a, +-b, infinity.
template <>
struct WinogradWindow<6> {
  static constexpr float a = winograd::Points<6>::kValues[0], b = winograd::Points<6>::kValues[1];

  TILE_FN void input(Vector (&d)[6]) {
    const Vector squares = splat(-(a * a + b * b)), product = splat(a * a * b * b);
    const Vector less_b = multiply_add(d[2], splat(-b * b), d[4]), odd_less_b = multiply_add(d[1], splat(-b * b), d[3]);
    const Vector less_a = multiply_add(d[2], splat(-a * a), d[4]), odd_less_a = multiply_add(d[1], splat(-a * a), d[3]);
    d[0] = multiply_add(d[0], product, multiply_add(d[2], squares, d[4]));
    d[5] = multiply_add(d[1], product, multiply_add(d[3], squares, d[5]));
    d[1] = multiply_add(odd_less_b, splat(a), less_b), d[2] = multiply_add(odd_less_b, splat(-a), less_b);
    d[3] = multiply_add(odd_less_a, splat(b), less_a), d[4] = multiply_add(odd_less_a, splat(-b), less_a);
  }
};

// The transform A' p of products, whose first `side` elements are the results.
template <int Side, int Window>
struct WinogradResults;

template <>
struct WinogradResults<2, 4> {
  TILE_FN void output(Vector (&p)[4]) {
    const Vector sum = p[1] + p[2], difference = p[1] - p[2];
    p[0] = p[0] + sum, p[1] = difference + p[3];
  }
};

template <>
struct WinogradResults<2, 5> {
  TILE_FN void output(Vector (&p)[5]) {
    p[0] = p[0] + p[1] + p[3];
    p[1] = p[1] + p[2] + p[4];
  }
};

template <>
struct WinogradResults<2, 6> : WinogradWindow<6> {
  TILE_FN void output(Vector (&p)[6]) {
    const Vector sum_a = p[1] + p[2], difference_a = p[1] - p[2], sum_b = p[3] + p[4], difference_b = p[3] - p[4];
    p[0] = p[0] + sum_a + sum_b;
    p[1] = multiply_add(difference_b, splat(b), multiply_add(difference_a, splat(a), p[5]));
  }
};

template <>
struct WinogradResults<4, 6> : WinogradWindow<6> {
  TILE_FN void output(Vector (&p)[6]) {
    const Vector sum_a = p[1] + p[2], difference_a = p[1] - p[2], sum_b = p[3] + p[4], difference_b = p[3] - p[4];
    const Vector last = p[5];
    p[0] = p[0] + sum_a + sum_b;
    p[1] = multiply_add(difference_b, splat(b), difference_a * splat(a));
    p[2] = multiply_add(sum_b, splat(b * b), sum_a * splat(a * a));
    p[3] = multiply_add(difference_b, splat(b * b * b), multiply_add(difference_a, splat(a * a * a), last));
  }
};

// Transforms the columns of a square of window x window vectors, and then the lines, of each of which the first `Kept`
// elements are the result. `load_point` takes the number of an element of the square, `store_point` that of a result.
template <int Window, int Kept, class Transform, class Load, class Store>
TILE_FN void transform_square(Transform transform, Load load_point, Store store_point) {
  Vector lines[Kept][Window];
#pragma GCC unroll 8
  for (int x = 0; x < Window; x++) {
    Vector column[Window];
#pragma GCC unroll 8
    for (int y = 0; y < Window; y++) column[y] = load_point(y * Window + x);
    transform(column);
#pragma GCC unroll 8
    for (int y = 0; y < Kept; y++) lines[y][x] = column[y];
  }
#pragma GCC unroll 8
  for (int y = 0; y < Kept; y++) {
    transform(lines[y]);
#pragma GCC unroll 8
    for (int x = 0; x < Kept; x++) store_point(y * Kept + x, lines[y][x]);
  }
}

// Does the same for a line of `Window` vectors.
template <int Window, int Kept, class Transform, class Load, class Store>
TILE_FN void transform_line(Transform transform, Load load_point, Store store_point) {
  Vector line[Window];
#pragma GCC unroll 8
  for (int x = 0; x < Window; x++) line[x] = load_point(x);
  transform(line);
#pragma GCC unroll 8
  for (int x = 0; x < Kept; x++) store_point(x, line[x]);
}

template <winograd::Form form, int Kept, class Transform, class Load, class Store>
TILE_FN void transform_patch(Transform transform, Load load_point, Store store_point) {
  if constexpr (form.flat)
    transform_line<winograd::window(form), Kept>(transform, load_point, store_point);
  else
    transform_square<winograd::window(form), Kept>(transform, load_point, store_point);
}

template <winograd::Form form, class Load>
TILE_FN void transform_input(Load load_point, float* to, long plane) {
  constexpr int kWindow = winograd::window(form);
  const auto transform = [](Vector(&d)[kWindow]) __attribute__((always_inline)) { WinogradWindow<kWindow>::input(d); };
  transform_patch<form, kWindow>(
      transform, load_point, [=](int i, Vector x) __attribute__((always_inline)) { store(to + i * plane, x); });
}

template <winograd::Form form>
void winograd_input(const float* const* points, long channels, float* to, long plane) {
  long c = 0;
  for (; c + kLanes <= channels; c += kLanes)
    transform_input<form>(
        [&](int i) __attribute__((always_inline)) { return load(points[i] + c); }, to + c, plane);
  if (c < channels)
    transform_input<form>(
        [&](int i) __attribute__((always_inline)) { return load_first(points[i] + c, int(channels - c)); }, to + c,
        plane);
}

template <winograd::Form form>
bool winograd_output(const float* products, long plane, long columns, float* block) {
  constexpr int kWindow = winograd::window(form);
  const auto transform = [](Vector(&p)[kWindow]) __attribute__((always_inline)) {
    WinogradResults<form.side, kWindow>::output(p);
  };
  Vector zeros{};  // not a number as soon as a result is not finite
  for (long j = 0; j < columns; j += kLanes)
    transform_patch<form, form.side>(
        transform, [=](int i) __attribute__((always_inline)) { return load(products + i * plane + j); },
        [ =, &zeros ](int i, Vector x) __attribute__((always_inline)) {
          store(block + i * columns + j, x);
          zeros = multiply_add(x, Vector{}, zeros);
        });
  return has_nan(zeros);
}

template <winograd::Form form>
void winograd_direct(const float* const* points, long channels, TileFunction tile, const float* panel, long columns,
                     float* block) {
  constexpr int kWindow = winograd::window(form), kTaps = form.taps, kAllTaps = winograd::direct_taps(form);
  constexpr int kLines = winograd::results(form) / form.side;
  for (int y = 0; y < kLines; y++) {
    const void* left[kAllTaps * form.side];
    for (int tap = 0; tap < kAllTaps; tap++)
      for (int x = 0; x < form.side; x++)
        left[tap * form.side + x] = points[(y * form.stride + tap / kTaps) * kWindow + x * form.stride + tap % kTaps];
    tile(left, kAllTaps, channels, panel, block + y * form.side * columns, columns, 0);
  }
}

template <int number>
constexpr WinogradTransforms transforms_of_form() {
  constexpr winograd::Form kForm = winograd::kForms[number];
  return {winograd_input<kForm>, winograd_output<kForm>, winograd_direct<kForm>};
}

template <int number>
constexpr void add_forms(WinogradSet& set) {
  set.forms[number] = transforms_of_form<number>();
  if constexpr (number + 1 < winograd::kFormCount) add_forms<number + 1>(set);
}

// The transforms of all forms, in the order of their numbers, and products on tiles of these formats.
constexpr WinogradSet winograd_set(PatchProducts f32, PatchProducts f32_wide = nullptr,
                                   PatchProducts f32_narrow = nullptr) {
  WinogradSet set{{}, {f32, f32_wide, f32_narrow}};
  add_forms<0>(set);
  return set;
}

}  // namespace cppgen::rt::TILE_ISA
