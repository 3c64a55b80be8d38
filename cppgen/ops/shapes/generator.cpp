#include <cmath>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

// --- EyeLike

void infer_eye_like(InferContext& c) {
  require_rank(c, 0, 2, 2);
  c.integer("k", 0);
  c.set_output(0, c.has("dtype") ? dtype_of_onnx(c, c.integer("dtype")) : c.dtype(0), c.shape(0));
}

void lower_eye_like(LowerContext& c) {
  IndexExpr k = c.integer("k", 0);
  DType type = ir::value_type(c.output(0).dtype);
  c.emit_pointwise(c.output_buffer(0),
                   [&](const At& at) { return (index_value(c, at[1] - at[0]) == index_value(c, k)).cast(type); });
}

// --- Trilu

void infer_trilu(InferContext& c) {
  require_rank(c, 0, 2, -1);
  if (c.has_input(1)) {
    require_dtype(c, 1, bit(DType::i64));
    require_one_element(c, 1, "k");
  }
  c.integer("upper", 1);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_trilu(LowerContext& c) {
  bool upper = c.integer("upper", 1) != 0;
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar k = c.has_input(1) ? only_element(c, 1) : number(c, DType::i64, 0);
    Scalar diagonal = index_value(c, at[at.size() - 1] - at[at.size() - 2]);
    Scalar x = load_input(c, 0, at);
    return select(upper ? diagonal >= k : diagonal <= k, x, x.number(0));
  });
}

// --- OneHot: indices, depth, values [off, on]

int one_hot_axis(InferContext& c);

IndexExpr one_hot_depth(InferContext& c) {
  if (is_run_time(c, 1)) {
    PartialShape partial(c.shape(0).begin(), c.shape(0).end());
    partial.insert(partial.begin() + one_hot_axis(c), std::nullopt);
    Shape to = require_declared(c, 1, "the depth", partial);
    if (to.size() != c.shape(0).size() + 1)
      c.fail(fmt::format("the declared shape {} has a different rank", to_string(to)));
    return to[size_t(one_hot_axis(c))];
  }
  if (const std::vector<IndexExpr>* depth = c.contents(1); depth) return depth->at(0);
  std::vector<double> depth = float_elements(c, 1);
  if (!(depth[0] >= 0 && depth[0] < 1e15)) c.fail("the depth is not a non-negative number");
  return int64_t(depth[0]);
}

int one_hot_axis(InferContext& c) { return normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size()) + 1); }

void infer_one_hot(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  require_dtype(c, 1, kNumbers);
  require_one_element(c, 1, "the depth");
  require_rank(c, 2, 1, 1);
  require_equal(c, c.shape(2)[0], 2, "the number of values and 2");
  Shape to = c.shape(0);
  to.insert(to.begin() + one_hot_axis(c), one_hot_depth(c));
  require_size(c, to, c.dtype(2));
  c.set_output(0, c.dtype(2), to);
}

void lower_one_hot(LowerContext& c) {
  int axis = one_hot_axis(c);
  Scalar depth = index_value(c, one_hot_depth(c));
  c.emit_pointwise(c.output_buffer(0), [&](At at) {
    Scalar here = index_value(c, at[axis]);
    at.erase(at.begin() + axis);
    Scalar index = load_input(c, 0, at).cast(DType::i64);
    Scalar on = select(index < 0.0, index + depth, index) == here;
    Scalar value = select(on, load_input(c, 2, {1}), load_input(c, 2, {0}));
    return is_run_time(c, 1) ? checked(c, value, {integer_element(c, 1, 0) == depth}) : value;
  });
}

// --- Range: start, limit, delta, all scalars

constexpr const char* kRangeInputs[] = {"the start", "the limit", "the delta"};

bool is_run_time_range(InferContext& c) { return is_run_time(c, 0) || is_run_time(c, 1) || is_run_time(c, 2); }

IndexExpr range_count(InferContext& c) {
  if (is_run_time_range(c)) {
    Shape to = require_declared(c, is_run_time(c, 1) ? 1 : 0, "a bound of the range", unknown_dims(1));
    if (to.size() != 1) c.fail("the declared output has more than one dimension");
    return to[0];
  }
  if (!is_float(c.dtype(0))) {
    const auto *start = c.contents(0), *limit = c.contents(1);
    std::vector<int64_t> delta = c.constant_ints(2);
    if (!start || !limit) c.fail("start and limit must be known");
    if (delta[0] == 0) c.fail("delta is 0");
    IndexExpr distance = delta[0] > 0 ? (*limit)[0] - (*start)[0] : (*start)[0] - (*limit)[0];
    return ir::max(ceildiv(distance, std::abs(delta[0])), 0);
  }
  double bounds[3];
  for (int i = 0; i < 3; ++i) bounds[i] = float_elements(c, i).at(0);
  double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (std::isnan(count) || count > 1e15) c.fail("the number of elements is not finite");
  return int64_t(std::max(count, 0.0));
}

void infer_range(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  require_same_dtype(c, 0, 1);
  require_same_dtype(c, 0, 2);
  for (int i = 0; i < 3; ++i) require_one_element(c, i, kRangeInputs[i]);
  c.set_output(0, c.dtype(0), {range_count(c)});
}

void lower_range(LowerContext& c) {
  DType type = ir::value_type(c.dtype(0));
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar start = only_element(c, 0), delta = only_element(c, 2);
    Scalar value = start + index_value(c, at[0], type) * delta;
    if (!is_run_time_range(c)) return value;
    Scalar limit = only_element(c, 1);
    Scalar count = index_value(c, c.output(0).shape[0]);
    Scalar steps = ceil((limit.cast(DType::f64) - start.cast(DType::f64)) / delta.cast(DType::f64));
    return checked(c, value, {max(steps, 0.0) == count.cast(DType::f64)});
  });
}

void resolve_range(LowerContext& c, ir::BufferId dims) {
  auto bound = [&](int i) { return only_element(c, i).cast(DType::f64); };
  const Scalar delta = bound(2), steps = ceil((bound(1) - bound(0)) / delta);
  emit_dims(c, dims, {valid_or_refused(c, max(steps, 0.0).cast(DType::i64), {delta != 0.0})});
}

void resolve_one_hot(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  result.insert(result.begin() + one_hot_axis(c), integer_element(c, 1, 0));
  emit_dims(c, dims, result);
}

void resolve_window(LowerContext& c, ir::BufferId dims) { emit_dims(c, dims, {integer_element(c, 0, 0)}); }

// --- Windows of signal processing: sums of cosines

void infer_window(InferContext& c) {
  const std::vector<IndexExpr>* known = c.contents(0);
  Shape size = known ? *known : require_declared(c, 0, "the size", unknown_dims(1));
  if (size.size() != 1 || element_count(c, 0) != 1) c.fail("the size is not a single integer");
  DType type = dtype_of_onnx(c, c.integer("output_datatype", 1));
  c.integer("periodic", 1);
  require_size(c, size, type);
  c.set_output(0, type, size);
}

void emit_window(LowerContext& c, double a0, double a1, double a2) {
  IndexExpr size = c.output(0).shape[0];
  IndexExpr period = c.integer("periodic", 1) != 0 ? size : size - 1;
  DType type = ir::value_type(c.output(0).dtype);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar angle = index_value(c, at[0], DType::f64) * (2 * M_PI) / index_value(c, period, DType::f64);
    Scalar value = a0 - a1 * cos(angle);
    Scalar window = (a2 == 0 ? value : value + a2 * cos(2.0 * angle)).cast(type);
    return is_run_time(c, 0) ? checked(c, window, {integer_element(c, 0, 0) == index_value(c, size)}) : window;
  });
}

void lower_hann(LowerContext& c) { emit_window(c, 0.5, 0.5, 0); }
void lower_hamming(LowerContext& c) { emit_window(c, 25.0 / 46, 21.0 / 46, 0); }
void lower_blackman(LowerContext& c) { emit_window(c, 0.42, 0.5, 0.08); }

}  // namespace

std::vector<Op> generator_ops() {
  return {
      {.name = "EyeLike",
       .versions = {{9, "dtype:int k:int"}, 22},
       .inputs = 1,
       .infer = infer_eye_like,
       .lower = lower_eye_like},
      {.name = "Trilu", .versions = {{14, "upper:int"}}, .inputs = {1, 2}, .infer = infer_trilu, .lower = lower_trilu},
      {.name = "Trilu",
       .domain = "com.microsoft",
       .versions = {{1, "upper:int"}},
       .inputs = {1, 2},
       .infer = infer_trilu,
       .lower = lower_trilu},
      {.name = "OneHot",
       .versions = {{9, "axis:int"}, 11},
       .inputs = 3,
       .elements = Elements::strings,
       .infer = infer_one_hot,
       .lower = lower_one_hot,
       .resolve = resolve_one_hot},
      {.name = "Range",
       .versions = {11, {27, "stash_type:int"}},
       .inputs = 3,
       .infer = infer_range,
       .lower = lower_range,
       .resolve = resolve_range},
      {.name = "HannWindow",
       .versions = {{17, "output_datatype:int periodic:int"}},
       .inputs = 1,
       .infer = infer_window,
       .lower = lower_hann,
       .resolve = resolve_window},
      {.name = "HammingWindow",
       .versions = {{17, "output_datatype:int periodic:int"}},
       .inputs = 1,
       .infer = infer_window,
       .lower = lower_hamming,
       .resolve = resolve_window},
      {.name = "BlackmanWindow",
       .versions = {{17, "output_datatype:int periodic:int"}},
       .inputs = 1,
       .infer = infer_window,
       .lower = lower_blackman,
       .resolve = resolve_window},
  };
}

}  // namespace cppgen::ops
