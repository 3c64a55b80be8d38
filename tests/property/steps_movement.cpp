// Operators that move elements by fixed rules: views, slices, concatenation, padding.
#include <algorithm>
#include <numeric>

#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

std::optional<ValueId> pick_any(Builder& b, size_t least_rank = 1) {
  return b.pick([&](ValueId v) { return b.rank(v) >= least_rank && b.rank(v) <= 5; });
}

bool transpose(Builder& b) {
  auto x = pick_any(b, 2);
  if (!x) return false;
  std::vector<int64_t> perm(b.rank(*x));
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), b.random);
  b.add("Transpose", {*x}, b.fact(*x), {{"perm", perm}});
  return true;
}

// Splits one dimension, or joins two neighbours.
bool reshape(Builder& b) {
  auto x = pick_any(b);
  if (!x) return false;
  Shape s = b.shape(*x);
  std::vector<int64_t> target;
  int64_t split = b.uniform(0, int64_t(s.size()) - 1);
  bool join = s.size() > 1 && b.chance(0.5);
  for (int64_t d = 0; d < int64_t(s.size()); d++) {
    IndexExpr e = s[size_t(d)];
    if (d == split && join && d + 1 < int64_t(s.size())) {
      target.push_back(-1), d++;
    } else if (d == split && !join && e.is_constant()) {
      std::vector<int64_t> factors;
      for (int64_t f = 1; f <= e.constant(); f++)
        if (e.constant() % f == 0) factors.push_back(f);
      int64_t f = factors.empty() ? 1 : b.any_of(factors);
      target.push_back(f), target.push_back(e.constant() / f);
    } else {
      target.push_back(0);
    }
  }
  // 0 copies the input's dimension at the same position; after a split or join, positions differ.
  bool shifted = false;
  for (size_t i = 0, d = 0; i < target.size(); i++) {
    if (target[i] == 0) {
      if (shifted || d != i) {
        if (!s[d].is_constant()) return false;
        target[i] = s[d].constant();
      }
      d++;
    } else if (target[i] == -1) {
      d += 2, shifted = true;
    } else {
      i++, d++, shifted = true;
    }
  }
  b.add("Reshape", {*x, b.ints(target)}, b.fact(*x));
  return true;
}

bool flatten(Builder& b) {
  auto x = pick_any(b);
  if (!x) return false;
  b.add("Flatten", {*x}, b.fact(*x), {{"axis", b.uniform(0, int64_t(b.rank(*x)))}});
  return true;
}

bool unsqueeze(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) <= 3; });
  if (!x) return false;
  b.add("Unsqueeze", {*x, b.ints({b.uniform(0, int64_t(b.rank(*x)))})}, b.fact(*x));
  return true;
}

bool slice(Builder& b) {
  auto x = b.pick([&](ValueId v) { return !b.constant_axes(v, 2).empty(); });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x, 2)), n = b.shape(*x)[size_t(axis)].constant();
  int64_t start = b.uniform(0, n - 2), stop = b.uniform(start + 1, n), step = b.chance(0.7) ? 1 : b.uniform(2, 3);
  if (b.chance(0.2)) {
    std::swap(start, stop), step = -step;
    if (start == n) start = n - 1;
  }
  b.add("Slice", {*x, b.ints({start}), b.ints({stop}), b.ints({axis}), b.ints({step})}, b.fact(*x));
  return true;
}

bool split(Builder& b) {
  auto x = b.pick([&](ValueId v) { return !b.constant_axes(v, 2).empty(); });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x, 2)), n = b.shape(*x)[size_t(axis)].constant();
  int64_t first = b.uniform(1, n - 1);
  b.node("Split", {*x, b.ints({first, n - first})}, {{"axis", axis}}, 2, b.fact(*x));
  return true;
}

bool concat(Builder& b) {
  auto x =
      b.pick([&](ValueId v) { return !b.constant_axes(v).empty() && b.elements(b.shape(v)) <= kMostElements / 2; });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x));
  auto fits = [&](ValueId v) {
    if (b.dtype(v) != b.dtype(*x) || b.rank(v) != b.rank(*x)) return false;
    for (size_t d = 0; d < b.rank(v); d++)
      if (int64_t(d) == axis ? !b.shape(v)[d].is_constant() : !(b.shape(v)[d] == b.shape(*x)[d])) return false;
    return b.elements(b.shape(v)) <= kMostElements / 2;
  };
  std::vector<ValueId> parts{*x};
  Fact f = b.fact(*x);
  for (int64_t n = b.uniform(1, 2); n-- > 0;) {
    parts.push_back(*b.pick(fits));
    f = {std::max(f.bound, b.fact(parts.back()).bound), std::max(f.error, b.fact(parts.back()).error)};
  }
  b.add("Concat", parts, f, {{"axis", axis}});
  return true;
}

bool pad(Builder& b) {
  auto x = b.pick([&](ValueId v) { return !b.constant_axes(v, 3).empty() && is_float(b.dtype(v)); });
  if (!x) return false;
  static const std::vector<std::string> modes{"constant", "reflect", "edge"};
  std::vector<int64_t> pads(2 * b.rank(*x), 0);
  for (int64_t axis : b.constant_axes(*x, 3))
    pads[size_t(axis)] = b.uniform(0, 2), pads[size_t(axis) + b.rank(*x)] = b.uniform(0, 2);
  b.add("Pad", {*x, b.ints(pads)}, b.fact(*x), {{"mode", b.any_of(modes)}});
  return true;
}

bool expand(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) <= 3 && b.elements(b.shape(v)) <= 2000; });
  if (!x) return false;
  std::vector<int64_t> target{b.uniform(1, 4)};
  for (size_t d = 0; d < b.rank(*x); d++)
    target.push_back(b.shape(*x)[d].is_constant(1) && b.chance(0.5) ? b.uniform(1, 5) : 1);
  b.add("Expand", {*x, b.ints(target)}, b.fact(*x));
  return true;
}

bool tile(Builder& b) {
  auto x = b.pick([&](ValueId v) { return !b.constant_axes(v).empty() && b.elements(b.shape(v)) <= 3000; });
  if (!x) return false;
  std::vector<int64_t> repeats(b.rank(*x), 1);
  repeats[size_t(b.any_of(b.constant_axes(*x)))] = b.uniform(2, 3);
  b.add("Tile", {*x, b.ints(repeats)}, b.fact(*x));
  return true;
}

bool shuffle_depth(Builder& b) {
  auto x = b.pick(
      [&](ValueId v) { return b.rank(v) == 4 && b.shape(v)[1].is_constant() && b.shape(v)[1].constant() % 4 == 0; });
  if (!x) return false;
  b.add("DepthToSpace", {*x}, b.fact(*x),
        {{"blocksize", int64_t{2}}, {"mode", std::string(b.chance(0.5) ? "DCR" : "CRD")}});
  return true;
}

bool triangle(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 2 && is_float(b.dtype(v)); });
  if (!x) return false;
  b.add("Trilu", {*x}, b.fact(*x), {{"upper", b.uniform(0, 1)}});
  return true;
}

}  // namespace

void add_movement_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"transpose", 3, transpose},
                             {"reshape", 3, reshape},
                             {"flatten", 0.5, flatten},
                             {"unsqueeze", 0.5, unsqueeze},
                             {"slice", 2, slice},
                             {"split", 1, split},
                             {"concat", 2, concat},
                             {"pad", 1, pad},
                             {"expand", 0.7, expand},
                             {"tile", 0.5, tile},
                             {"shuffle_depth", 0.5, shuffle_depth},
                             {"triangle", 0.3, triangle}});
}

}  // namespace cppgen::property
