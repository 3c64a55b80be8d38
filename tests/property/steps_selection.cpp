// Operators whose elements are chosen by index tensors, and resampling.
#include <algorithm>
#include <numeric>

#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

// Indices below `extent`, as a constant or an input; negative ones count from the end.
ValueId indices(Builder& b, std::vector<int64_t> dims, int64_t extent) {
  DType t = b.chance(0.5) ? DType::i64 : DType::i32;
  return b.parameter(t, dims, double(-extent), double(extent - 1));
}

std::vector<int64_t> small_dims(Builder& b) {
  std::vector<int64_t> dims;
  for (int64_t n = b.uniform(0, 2); n-- > 0;) dims.push_back(b.uniform(1, 9));
  return dims;
}

bool gather(Builder& b) {
  auto x =
      b.pick([&](ValueId v) { return !b.constant_axes(v).empty() && b.elements(b.shape(v)) < 1500 && b.rank(v) <= 3; });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x));
  b.add("Gather", {*x, indices(b, small_dims(b), b.shape(*x)[size_t(axis)].constant())}, b.fact(*x), {{"axis", axis}});
  return true;
}

bool embedding(Builder& b) {
  int64_t rows = b.uniform(2, 40), columns = b.extent();
  ValueId table = b.parameter(DType::f32, {rows, columns});
  b.add("Gather", {table, indices(b, {b.uniform(1, 4), b.uniform(1, 9)}, rows)}, b.fact(table));
  return true;
}

bool gather_elements(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && b.constant_axes(v).size() == b.rank(v); });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x));
  std::vector<int64_t> dims;
  for (IndexExpr d : b.shape(*x)) dims.push_back(d.constant());
  int64_t extent = dims[size_t(axis)];
  dims[size_t(axis)] = b.uniform(1, std::max<int64_t>(1, std::min<int64_t>(extent, 6)));
  b.add("GatherElements", {*x, indices(b, dims, extent)}, b.fact(*x), {{"axis", axis}});
  return true;
}

// Each row of the first dimension is written at most once.
bool scatter_rows(Builder& b) {
  auto x = b.pick(
      [&](ValueId v) { return b.rank(v) >= 1 && b.constant_axes(v).size() == b.rank(v) && is_float(b.dtype(v)); });
  if (!x) return false;
  int64_t rows = b.shape(*x)[0].constant(), written = b.uniform(1, rows);
  std::vector<int64_t> order(static_cast<size_t>(rows)), dims{written};
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), b.random);
  order.resize(size_t(written));
  for (size_t d = 1; d < b.rank(*x); d++) dims.push_back(b.shape(*x)[d].constant());
  ValueId where = b.add("Unsqueeze", {b.ints(order), b.ints({-1})}, {1e3, 0});
  ValueId updates = b.parameter(b.dtype(*x), dims);
  Fact f = b.fact(*x);
  b.add("ScatterND", {*x, where, updates}, {std::max(1.0, f.bound), f.error});
  return true;
}

bool resize(Builder& b) {
  auto x = b.pick([&](ValueId v) {
    return b.rank(v) == 4 && b.dtype(v) == DType::f32 && b.constant_axes(v).size() >= 3 &&
           b.shape(v)[2].is_constant() && b.shape(v)[3].is_constant() && b.elements(b.shape(v)) < 3000;
  });
  if (!x) return false;
  bool linear = b.chance(0.5);
  b.graph().add_constant("scales" + std::to_string(b.graph().values.size()),
                         make_floats(DType::f32, {4}, {1, 1, 2, b.chance(0.5) ? 2.0 : 1.0}));
  ValueId scales = ValueId(b.graph().values.size()) - 1;
  b.result.facts.push_back({});
  Fact f = b.fact(*x);
  if (linear) f.error += 8 * unit_of(DType::f32) * f.bound;
  b.add("Resize", {*x, kNoValue, scales}, f,
        {{"mode", std::string(linear ? "linear" : "nearest")},
         {"coordinate_transformation_mode", std::string("asymmetric")},
         {"nearest_mode", std::string("floor")}});
  return true;
}

bool running_sum(Builder& b) {
  auto x = b.pick([&](ValueId v) {
    return (b.dtype(v) == DType::f32 || b.dtype(v) == DType::i32) && b.fact(v).bound < 1e19 &&
           !b.constant_axes(v).empty() && b.elements(b.shape(v)) < 3000;
  });
  if (!x) return false;
  int64_t axis = b.any_of(b.constant_axes(*x));
  double n = double(b.shape(*x)[size_t(axis)].constant());
  Fact f = b.fact(*x);
  double bound = n * f.bound, error = n * f.error + (is_float(b.dtype(*x)) ? n * unit_of(DType::f32) * bound : 0);
  b.add("CumSum", {*x, b.scalar(DType::i64, double(axis))}, {bound, error},
        {{"exclusive", b.uniform(0, 1)}, {"reverse", b.uniform(0, 1)}});
  return true;
}

}  // namespace

void add_selection_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"gather", 2, gather},
                             {"embedding", 0.7, embedding},
                             {"gather_elements", 1, gather_elements},
                             {"scatter_rows", 0.5, scatter_rows},
                             {"resize", 0.5, resize},
                             {"running_sum", 0.4, running_sum}});
}

}  // namespace cppgen::property
