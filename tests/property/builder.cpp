#include "tests/property/builder.h"

#include <algorithm>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"

namespace cppgen::property {

double unit_of(DType t) {
  switch (t) {
    case DType::f64:
      return 0x1p-52;
    case DType::f16:
      return 0x1p-10;
    case DType::bf16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

Builder::Builder(uint64_t seed) : random(seed * 0x9e3779b97f4a7c15ull + 1) {
  graph().name = "random" + std::to_string(seed);
  graph().opsets[""] = kOpset;
}

ValueId Builder::note(Fact f) {
  result.facts.resize(graph().values.size());
  result.facts.back() = f;
  return ValueId(graph().values.size()) - 1;
}

int64_t Builder::extent() {
  static const std::vector<int64_t> common{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 24, 31, 32, 33, 48, 64, 65};
  return chance(0.1) ? uniform(66, 300) : any_of(common);
}

int64_t Builder::elements(const Shape& shape) {
  int64_t n = 1;
  for (IndexExpr d : shape) n *= d.is_constant() ? d.constant() : kSymbolGuess;
  return n;
}

Shape Builder::random_shape(size_t least_rank) {
  Shape shape;
  size_t rank = size_t(std::max<int64_t>(int64_t(least_rank), uniform(1, 4)));
  for (size_t i = 0; i < rank; i++) shape.push_back(extent());
  while (elements(shape) > kMostElements) {
    size_t d = size_t(uniform(0, int64_t(rank) - 1));
    if (!shape[d].is_constant(1)) shape[d] = (shape[d].constant() + 1) / 2;
  }
  return shape;
}

std::optional<ValueId> Builder::pick(const std::function<bool(ValueId)>& wanted) {
  std::vector<ValueId> fitting;
  for (const Value& v : graph().values)
    if (v.type && !v.constant && wanted(v.id)) fitting.push_back(v.id);
  if (fitting.empty()) return std::nullopt;
  if (chance(0.6))
    return fitting[fitting.size() - 1 - size_t(uniform(0, std::min<int64_t>(2, int64_t(fitting.size()) - 1)))];
  return any_of(fitting);
}

std::optional<ValueId> Builder::pick_float(double most_bound) {
  return pick([&](ValueId v) { return is_float(dtype(v)) && fact(v).bound <= most_bound; });
}

std::vector<int64_t> Builder::constant_axes(ValueId v, int64_t least) {
  std::vector<int64_t> axes;
  for (size_t d = 0; d < rank(v); d++)
    if (shape(v)[d].is_constant() && shape(v)[d].constant() >= least) axes.push_back(int64_t(d));
  return axes;
}

ValueId Builder::input(DType t, Shape shape, InputRange range) {
  ValueId v = graph().add_value(fresh("x"));
  graph().value(v).type = TensorType{t, std::move(shape)};
  graph().inputs.push_back(v);
  result.ranges[graph().value(v).name] = range;
  return note({std::max(std::abs(range.lo), std::abs(range.hi)), 0});
}

static Tensor integers(DType t, std::vector<int64_t> dims, const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  for (double v : values) {
    int64_t n = int64_t(v);
    auto* raw = reinterpret_cast<const std::byte*>(&n);
    bytes.insert(bytes.end(), raw, raw + size_of(t));  // little-endian: the low bytes wrap
  }
  return make_tensor(t, std::move(dims), std::move(bytes));
}

ValueId Builder::constant(DType t, std::vector<int64_t> dims, double lo, double hi) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < n; i++)
    values.push_back(is_float(t) ? std::uniform_real_distribution<double>(lo, hi)(random)
                                 : double(uniform(int64_t(lo), int64_t(hi))));
  graph().add_constant(fresh("c"), is_float(t) ? make_floats(t, dims, values) : integers(t, dims, values));
  return note({std::max(std::abs(lo), std::abs(hi)), 0});
}

ValueId Builder::scalar(DType t, double value) {
  graph().add_constant(fresh("c"), is_float(t) ? make_floats(t, {}, {value}) : integers(t, {}, {value}));
  return note({std::abs(value), 0});
}

ValueId Builder::parameter(DType t, const std::vector<int64_t>& dims, double lo, double hi) {
  if (chance(0.7)) return constant(t, dims, lo, hi);
  return input(t, Shape(dims.begin(), dims.end()), {lo, hi});
}

// Fused chains of narrow types keep more bits than stored steps do, so nothing may overflow on the way; and a result
// whose allowed error is of its own size tests nothing.
void Builder::check_fact(ValueId v) {
  if (!is_float(dtype(v))) return;
  Fact f = fact(v);
  double most = dtype(v) == DType::f16 ? 3e4 : 1e20;
  if (f.bound > most || f.error > 0.05 * f.bound) user_error("random graph: out of bounds");
}

std::vector<ValueId> Builder::node(const std::string& op, std::vector<ValueId> inputs,
                                   std::map<std::string, Attribute> attributes, int outputs, Fact f) {
  std::vector<ValueId> out;
  for (int i = 0; i < outputs; i++) {
    out.push_back(graph().add_value(fresh("v")));
    note(f);
  }
  Node& n = graph().add_node(op, std::move(inputs), out, kOpset);
  n.attributes = std::move(attributes);
  ops::infer_node(graph(), n.id);
  for (ValueId v : out) check_fact(v);
  return out;
}

}  // namespace cppgen::property
