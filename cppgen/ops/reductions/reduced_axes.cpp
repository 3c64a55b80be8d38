#include "cppgen/ops/reductions/reduced_axes.h"

#include <algorithm>

#include "cppgen/ops/declared.h"
#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {

bool keeps_dims(InferContext& c) { return c.integer("keepdims", 1) != 0; }

namespace {

bool lists_no_axes(InferContext& c) { return c.shape(1).size() == 1 && c.shape(1)[0].is_constant(0); }

bool has_run_time_axes(InferContext& c) { return !c.has("axes") && is_run_time(c, 1) && !lists_no_axes(c); }

bool same_shape(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), ir::prove_equal);
}

Shape shape_without(InferContext& c, const AxisSplit& axes) { return keeps_dims(c) ? axes.keep_dims() : axes.kept(); }

// Axes that only a run knows: all choices that turn the input's shape into the declared one.
std::vector<AxisSplit> declared_choices(InferContext& c) {
  constexpr size_t kMost = 16;
  const Shape& x = c.shape(0);
  Shape to = require_declared(c, 1, "the axes");
  int64_t count = element_count(c, 1), rank = int64_t(x.size());
  std::vector<AxisSplit> found;
  for (uint32_t mask = 0; rank <= 16 && mask < (1u << rank); ++mask) {
    std::vector<int> axes;
    for (int d = 0; d < int(rank); ++d)
      if (mask >> d & 1) axes.push_back(d);
    if (int64_t(axes.size()) != count) continue;
    AxisSplit split(x, axes);
    if (same_shape(shape_without(c, split), to)) found.push_back(split);
  }
  if (found.empty() || found.size() > kMost)
    c.fail(
        fmt::format("the axes (input 1) are known only at run time, and {} choices of axes yield the declared shape {}",
                    found.size(), to_string(to)));
  return found;
}

// No axes mean all of them, or none with noop_with_empty_axes.
AxisSplit known_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  std::vector<int64_t> axes;
  if (c.has("axes") || (c.has_input(1) && !lists_no_axes(c))) axes = *axes_argument(c, 1);
  if (axes.empty() && c.integer("noop_with_empty_axes", 0) == 0) return AxisSplit::from_axis(x, 0);
  return AxisSplit(x, normalized_axes(c, axes, int(x.size())));
}

bool takes_declared(InferContext& c) { return declared_shape(c, 0).has_value(); }

// Without a declared shape, returns what is kept of each dimension, a value that `resolve` gives; then, if the others
// are dropped, the dimensions that are left.
AxisSplit run_time_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  Shape kept, reduced;
  for (size_t d = 0; d < x.size(); ++d) {
    kept.push_back(c.resolved_symbol(d, "kept"));
    reduced.push_back(floordiv(x[d], ir::max(kept[d], 1)));
  }
  return AxisSplit::of_parts(kept, reduced);
}

Shape run_time_reduced_shape(InferContext& c) {
  const size_t rank = c.shape(0).size();
  const int64_t count = element_count(c, 1);
  if (count > int64_t(rank)) c.fail(fmt::format("there are {} axes for {} dimensions", count, rank));
  std::vector<IndexExpr> noted = run_time_axes(c).kept();
  Shape to = noted;
  if (!keeps_dims(c)) {
    to.clear();
    for (size_t k = 0; k < rank - size_t(count); ++k) to.push_back(c.resolved_symbol(rank + k, "dim"));
    noted.insert(noted.end(), to.begin(), to.end());
  }
  c.note_resolved(noted);
  return to;
}

// Reduced dimensions are dropped by a copy: the elements keep their order.
void lower_run_time_axes(LowerContext& c, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower) {
  const AxisSplit axes = run_time_axes(c);
  if (keeps_dims(c)) return lower(axes, c.output_buffer(0));
  const ir::BufferId kept = c.temporary(c.output(0).dtype, axes.kept());
  lower(axes, kept);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) { return load(c, kept, reshaped_index(axes.kept(), c.output(0).shape, at)); }, "dropped");
}

}  // namespace

Shape reduced_shape(InferContext& c) {
  if (has_run_time_axes(c) && !takes_declared(c)) return run_time_reduced_shape(c);
  return shape_without(c, has_run_time_axes(c) ? declared_choices(c)[0] : known_axes(c));
}

void for_reduced_axes(LowerContext& c, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower) {
  if (!has_run_time_axes(c)) return lower(known_axes(c), c.output_buffer(0));
  if (!takes_declared(c)) return lower_run_time_axes(c, lower);
  int64_t rank = int64_t(c.shape(0).size());
  std::vector<Scalar> named;
  std::vector<ir::BufferId> results;
  for (const AxisSplit& axes : declared_choices(c)) {
    results.push_back(c.temporary(c.output(0).dtype, c.output(0).shape));
    lower(axes, results.back());
    Scalar all = number(c, DType::boolean, 1);
    for (int d = 0; d < int(rank); ++d)
      if (axes.is_reduced(d)) all = all && lists_axis(c, 1, d, rank);
    named.push_back(all);
  }
  Scalar any = named[0];
  for (Scalar one : named) any = any || one;
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar value = load(c, results.back(), at);
        for (size_t k = results.size() - 1; k-- > 0;) value = select(named[k], load(c, results[k], at), value);
        return checked(c, value, {any});
      },
      "choice");
}

void resolve_reduced_axes(LowerContext& c, ir::BufferId dims) {
  const Shape& x = c.shape(0);
  const int64_t rank = int64_t(x.size()), count = element_count(c, 1);
  const Scalar zero = number(c, DType::i64, 0), one = number(c, DType::i64, 1);
  Scalar left = zero;
  std::vector<Scalar> values, rest(size_t(keeps_dims(c) ? 0 : rank - count), zero);
  for (int64_t d = 0; d < rank; ++d) {
    const Scalar extent = index_value(c, x[size_t(d)]), reduced = lists_axis(c, 1, d, rank);
    values.push_back(select(reduced, one, extent));
    for (size_t k = 0; k < rest.size(); ++k) rest[k] = select(!reduced && left == double(k), extent, rest[k]);
    left = left + select(reduced, zero, one);
  }
  values.insert(values.end(), rest.begin(), rest.end());
  for (Scalar& v : values) v = valid_or_refused(c, v, {left == double(rank - count)});
  emit_dims(c, dims, values);
}

}  // namespace cppgen::ops
