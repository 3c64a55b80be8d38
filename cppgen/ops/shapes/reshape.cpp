#include <algorithm>

#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {
namespace {

// The requested dimensions: 0 keeps the input's (unless allowzero), -1 is what remains.
Shape requested_shape(InferContext& c) {
  if (c.opset() < 5) {
    std::vector<int64_t> dims = c.integers("shape");
    return Shape(dims.begin(), dims.end());
  }
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 1, 1, 1);
  const std::vector<IndexExpr>* dims = c.contents(1);
  if (!dims) c.fail("input 1 (the shape) must be constant");
  return *dims;
}

void require_same_elements(InferContext& c, const Shape& from, const Shape& to) {
  const IndexExpr a = ir::product(from), b = ir::product(to);
  if (to.empty()) {
    for (IndexExpr d : from) require_equal(c, d, 1, "the dimensions of what becomes a scalar, and 1,");
  } else if (!ir::prove_equal(a, b))
    c.fail_unequal(a, b,
                   fmt::format("the input {} and the shape {} have different numbers of elements", to_string(from),
                               to_string(to)));
}

// The output's shape is the declared one: it must have the input's elements.
void infer_declared(InferContext& c, const char* what, int64_t rank) {
  const Shape& from = c.shape(0);
  if (rank < 0) c.fail("there are more axes than dimensions");
  Shape to = require_declared(c, 1, what, unknown_dims(size_t(rank)));
  require_dtype(c, 1, bit(DType::i64));
  if (!is_resolved(c)) require_same_elements(c, from, to);
  c.set_output(0, c.dtype(0), to);
}

// Returns whether the size is the result of rounding or is known only at run time: then the compiler cannot compare it.
bool is_left_to_a_run(InferContext& c, const Shape& shape) {
  if (!c.can_resolve() || c.opset() < 5) return false;
  const ir::Polynomial size(ir::product(shape));
  return std::any_of(size.terms().begin(), size.terms().end(), [](const ir::IndexTerm& term) {
    const auto atoms = ir::atoms_of(term.node);
    return std::any_of(atoms.begin(), atoms.end(),
                       [](const ir::IndexNode* atom) { return atom->op != ir::IndexOp::variable || atom->fresh; });
  });
}

// Returns whether `d` is 0 wherever `other`, which is at least 0, is.
bool is_zero_with(IndexExpr d, IndexExpr other) {
  if (ir::divide_exactly(d, other)) return true;
  const ir::Polynomial sum(other);
  const auto zero_if = [&](const ir::IndexMap& zeros) { return ir::substitute(d, zeros).is_constant(0); };
  if (sum.terms().size() != 1 || !sum.terms()[0].node) return false;
  const auto factors = ir::atoms_of(sum.terms()[0].node);
  return std::all_of(factors.begin(), factors.end(), [&](const auto* factor) { return zero_if({{factor, 0}}); });
}

// The dimensions of the requested shape that may be 0 in a run, which then copies the input's dimension.
std::vector<size_t> copied_in_a_run(InferContext& c, const Shape& to, int inferred) {
  const Shape& from = c.shape(0);
  std::vector<size_t> copied;
  if (c.integer("allowzero", 0) != 0) return copied;
  for (size_t d = 0; d < std::min(from.size(), to.size()); ++d)
    if (int(d) != inferred && to[d].range().lo <= 0 && !to[d].is_constant() && !is_zero_with(from[d], to[d]))
      copied.push_back(d);
  return copied;
}

// Returns whether the shapes have different numbers of elements, unless they have none or a run copies a dimension.
bool differ_unless_copied(InferContext& c, const Shape& from, const Shape& to) {
  if (copied_in_a_run(c, to, -1).empty()) return false;
  const ir::Polynomial difference(ir::product(from) - ir::product(to));
  const auto more = [](const ir::IndexTerm& t) { return t.coefficient > 0; };
  const auto count = std::count_if(difference.terms().begin(), difference.terms().end(), more);
  return count == 0 || size_t(count) == difference.terms().size();
}

// The requested shape, whose dimension `inferred` (or none: -1) follows from the size that a run finds.
void infer_in_a_run(InferContext& c, const Shape& to, int inferred) {
  const Shape& from = c.shape(0);
  const auto is_known = [](const Shape& shape) {
    return std::all_of(shape.begin(), shape.end(), [](IndexExpr d) { return d.is_constant(); });
  };
  const bool constant = is_known(from) && is_known(to);
  if (constant || !c.can_resolve() || c.opset() < 5)
    c.fail(fmt::format("the input {} has no -1 to fill in {}", to_string(from), to_string(to)));
  PartialShape partial(to.begin(), to.end());
  if (inferred >= 0) {
    partial[size_t(inferred)].reset();
    for (size_t d : copied_in_a_run(c, to, inferred)) partial[d].reset();
  } else {
    partial = unknown_dims(to.size());
  }
  c.set_output(0, c.dtype(0), c.resolved_dimensions(0, partial));
}

// The requested shape with copied dimensions, but those of a run, and its dimension that is -1 (or none: -1).
std::pair<Shape, int> known_shape(InferContext& c) {
  const Shape& from = c.shape(0);
  Shape to = requested_shape(c);
  const bool allow_zero = c.integer("allowzero", 0) != 0;
  int inferred = -1;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d].is_constant(0) && !allow_zero) {
      if (d >= from.size())
        c.fail(fmt::format("dimension {} is 0 but the input {} has no such dimension", d, to_string(from)));
      to[d] = from[d];
    }
    if (to[d].is_constant(-1)) {
      if (inferred >= 0) c.fail("more than one dimension is -1");
      inferred = int(d);
    }
  }
  return {to, inferred};
}

// The dimension that -1 stands for. Dimensions that are copied are left out on both sides, so that an empty one may be
// copied: [0, -1] of [0, 3, 4] is [0, 12].
std::optional<IndexExpr> quotient_without_copied(InferContext& c, const Shape& to, int inferred) {
  const Shape& from = c.shape(0);
  const bool copies = c.integer("allowzero", 0) == 0;
  Shape dividend, divisor;
  for (size_t d = 0; d < std::max(from.size(), to.size()); ++d) {
    const bool both = d < from.size() && d < to.size() && int(d) != inferred;
    if (copies && both && ir::prove_equal(from[d], to[d])) continue;
    if (d < from.size()) dividend.push_back(from[d]);
    if (d < to.size() && int(d) != inferred) divisor.push_back(to[d]);
  }
  return exact_quotient(dividend, divisor);
}

void infer_reshape(InferContext& c) {
  if (c.opset() >= 5 && is_run_time(c, 1)) return infer_declared(c, "the shape", element_count(c, 1));
  const Shape& from = c.shape(0);
  const auto [requested, inferred] = known_shape(c);
  Shape to = requested;
  Shape known = to;
  if (inferred >= 0) known.erase(known.begin() + inferred);
  require_size(c, known, c.dtype(0));
  if (inferred >= 0) {
    const std::optional<IndexExpr> rest = quotient_without_copied(c, to, inferred);
    const auto copied = copied_in_a_run(c, to, inferred);
    const bool of_a_run =
        std::any_of(copied.begin(), copied.end(), [&](size_t d) { return ir::depends_on_fresh_symbols(to[d]); });
    if (!rest || of_a_run) return infer_in_a_run(c, to, inferred);
    to[size_t(inferred)] = *rest;
    for (size_t d : copied) {
      const IndexExpr kept = ir::min(to[d], 1);  // 0 if the run copies; then there are no elements, and -1 becomes 0
      to[size_t(inferred)] = to[size_t(inferred)] * kept;
      to[d] = to[d] + from[d] * (1 - kept);
    }
  } else if (!ir::prove_equal(ir::product(from), ir::product(to))) {  // else a 0 can only stand for no elements
    if (is_left_to_a_run(c, from) || is_left_to_a_run(c, to) || differ_unless_copied(c, from, to))
      return infer_in_a_run(c, to, inferred);
    require_same_elements(c, from, to);
  }
  c.set_output(0, c.dtype(0), to);
}

void infer_flatten(InferContext& c) {
  const Shape& from = c.shape(0);
  int rank = int(from.size());
  int64_t axis = c.integer("axis", 1);
  if (axis < -rank || axis > rank) c.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank));
  if (axis < 0) axis += rank;
  std::span<const IndexExpr> all(from);
  c.set_output(0, c.dtype(0), {ir::product(all.first(axis)), ir::product(all.subspan(axis))});
}

void infer_squeeze(InferContext& c) {
  if (is_run_time(c, 1)) return infer_declared(c, "the axes", int64_t(c.shape(0).size()) - element_count(c, 1));
  const Shape& from = c.shape(0);
  std::optional<std::vector<int64_t>> given = axes_argument(c, 1);
  std::vector<int> axes = normalized_axes(c, given.value_or(std::vector<int64_t>{}), int(from.size()));
  Shape to;
  for (int d = 0; d < int(from.size()); ++d) {
    bool removed = given ? std::find(axes.begin(), axes.end(), d) != axes.end() : from[d].is_constant(1);
    if (!removed) to.push_back(from[d]);
    if (removed && from[d].is_constant() && !from[d].is_constant(1))
      c.fail(fmt::format("dimension {} of the input {} is not 1", d, to_string(from)));
    if (removed && !from[d].is_constant()) c.compare_in_run(from[d], 1);
    // Without axes all dimensions of 1 are removed, and the rank is known only if these are.
    if (!given && !removed)
      require_at_most(c, 1, ir::max(from[d] - 1, 1 - from[d]),
                      fmt::format("dimension {} of the input {} may be 1 and there are no axes", d, to_string(from)));
  }
  c.set_output(0, c.dtype(0), to);
}

void infer_unsqueeze(InferContext& c) {
  if (is_run_time(c, 1)) return infer_declared(c, "the axes", int64_t(c.shape(0).size()) + element_count(c, 1));
  std::optional<std::vector<int64_t>> given = axes_argument(c, 1);
  if (!given) c.fail("the axes are missing");
  if (given->size() > 64) c.fail("more than 64 axes");
  Shape to = c.shape(0);
  std::vector<int> axes = normalized_axes(c, *given, int(to.size() + given->size()));
  for (int axis : axes) to.insert(to.begin() + axis, 1);
  c.set_output(0, c.dtype(0), to);
}

void lower_reshape(LowerContext& c) {
  const Shape& from = c.shape(0);
  const Shape& to = c.output(0).shape;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_input(c, 0, reshaped_index(from, to, at)); });
}

Scalar load_reshaped(LowerContext& c, const std::vector<IndexExpr>& at, const std::vector<Scalar>& conditions) {
  return checked(c, load_input(c, 0, reshaped_index(c.shape(0), c.output(0).shape, at)), conditions);
}

// The conditions for a run-time shape to yield the declared one.
std::vector<Scalar> agrees_with_shape(LowerContext& c) {
  const Shape& from = c.shape(0);
  const Shape& to = c.output(0).shape;
  if (element_count(c, 1) != int64_t(to.size()))
    c.fail(fmt::format("the shape does not have {} dimensions", to.size()));
  bool allow_zero = c.integer("allowzero", 0) != 0;
  std::vector<Scalar> conditions;
  for (size_t d = 0; d < to.size(); ++d) {
    Scalar requested = integer_element(c, 1, int64_t(d));
    Scalar agrees = requested == index_value(c, to[d]) || requested == -1.0;
    if (!allow_zero && d < from.size())
      agrees = agrees || (requested == 0.0 && index_value(c, from[d]) == index_value(c, to[d]));
    conditions.push_back(agrees);
  }
  return conditions;
}

// The output's shape if it has elements: then no run copies a dimension of the input.
Shape shape_with_elements(LowerContext& c) {
  const Shape& whole = c.output(0).shape;
  if (is_resolved(c)) return whole;
  auto [to, inferred] = known_shape(c);
  if (inferred < 0 || copied_in_a_run(c, to, inferred).empty()) return whole;
  to[size_t(inferred)] = 1;
  const std::optional<IndexExpr> rest = exact_quotient(c.shape(0), to);
  if (!rest) return whole;
  to[size_t(inferred)] = *rest;
  return to;
}

void lower_reshape_to_shape(LowerContext& c) {
  if (c.opset() < 5 || !is_run_time(c, 1)) {
    const Shape to = shape_with_elements(c);
    return c.emit_pointwise(c.output_buffer(0),
                            [&](const auto& at) { return load_input(c, 0, reshaped_index(c.shape(0), to, at)); });
  }
  std::vector<Scalar> conditions = agrees_with_shape(c);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_reshaped(c, at, conditions); });
}

// Lowers Squeeze, whose dimensions have been compared with 1 before.
void lower_squeeze(LowerContext& c) {
  const auto given = axes_argument(c, 1);
  const std::vector<int> axes = normalized_axes(c, *given, int(c.shape(0).size()));
  c.emit_pointwise(c.output_buffer(0), [&](std::vector<IndexExpr> at) {
    for (int axis : axes) at.insert(at.begin() + axis, IndexExpr());
    return load_input(c, 0, at);
  });
}

// Each axis that a run lists must be a dimension of 1 of the longer shape, which has one more dimension for each.
void lower_reshape_by_axes(LowerContext& c) {
  const Shape &from = c.shape(0), &to = c.output(0).shape;
  if (!is_run_time(c, 1)) {
    const bool same_size = ir::prove_equal(ir::product(from), ir::product(to));
    return same_size ? lower_reshape(c) : lower_squeeze(c);
  }
  const Shape& longer = from.size() > to.size() ? from : to;
  int64_t count = element_count(c, 1), rank = int64_t(longer.size());
  if (count != rank - int64_t(std::min(from.size(), to.size()))) c.fail(fmt::format("{} axes do not fit", count));
  std::vector<Scalar> conditions;
  for (int64_t k = 0; k < count; ++k) {
    Scalar axis = integer_element(c, 1, k), found = scalar(c, c.exprs().constant_int(DType::boolean, 0));
    for (int64_t d = 0; d < rank; ++d)
      found = found || (index_value(c, longer[size_t(d)]) == 1.0 && (axis == double(d) || axis == double(d - rank)));
    conditions.push_back(found);
  }
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_reshaped(c, at, conditions); });
}

// The requested dimensions of a run, with those that a 0 copies. A 0 that has nothing to copy is -2.
std::vector<Scalar> requested_in_a_run(LowerContext& c) {
  const Shape& from = c.shape(0);
  const bool copies = c.integer("allowzero", 0) == 0;
  std::vector<Scalar> requested;
  for (int64_t d = 0, rank = element_count(c, 1); d < rank; ++d) {
    const Scalar dim = integer_element(c, 1, d);
    const Scalar copied = size_t(d) < from.size() ? index_value(c, from[size_t(d)]) : dim.number(-2);
    requested.push_back(copies ? select(dim == 0.0, copied, dim) : dim);
  }
  return requested;
}

// The products of the input's and of the requested dimensions other than -1; without those that are the same at one
// place, which a 0 may have copied, like quotient_without_copied.
std::pair<Scalar, Scalar> elements_of_a_run(LowerContext& c, const std::vector<Scalar>& requested, bool all) {
  const Shape& from = c.shape(0);
  const Scalar one = number(c, DType::i64, 1);
  Scalar given = one, known = one;
  for (size_t d = 0; d < std::max(from.size(), requested.size()); ++d) {
    const bool both = !all && d < from.size() && d < requested.size();
    const Scalar own = d < from.size() ? index_value(c, from[d]) : one;
    const Scalar dim = d < requested.size() ? select(requested[d] == -1.0, one, requested[d]) : one;
    const Scalar same = both ? requested[d] == own : one == 0.0;
    given = given * select(same, one, own), known = known * select(same, one, dim);
  }
  return {given, known};
}

void resolve_reshape(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> requested = requested_in_a_run(c), conditions;
  Scalar inferred = number(c, DType::i64, 0);
  for (const Scalar& dim : requested) {
    conditions.push_back(dim >= -1.0);
    inferred = inferred + select(dim == -1.0, dim.number(1), dim.number(0));
  }
  const auto [all, known] = elements_of_a_run(c, requested, true);
  const auto [dividend, divisor] = elements_of_a_run(c, requested, c.integer("allowzero", 0) != 0);
  const Scalar rest = dividend / max(divisor, 1.0);
  conditions.push_back(inferred <= 1.0);
  conditions.push_back(select(inferred == 1.0, divisor * rest == dividend, known == all));
  for (Scalar& dim : requested) dim = valid_or_refused(c, select(dim == -1.0, rest, dim), conditions);
  emit_dims(c, dims, requested);
}

// The dimensions other than the listed ones, which are 1.
void resolve_squeeze(LowerContext& c, ir::BufferId dims) {
  const Shape& from = c.shape(0);
  const auto rank = int64_t(from.size()), left = rank - element_count(c, 1);
  std::vector<Scalar> result(size_t(left), number(c, DType::i64, 0)), conditions;
  Scalar position = number(c, DType::i64, 0);
  for (int64_t d = 0; d < rank; ++d) {
    const Scalar removed = lists_axis(c, 1, d, rank), extent = index_value(c, from[size_t(d)]);
    conditions.push_back(!removed || extent == 1.0);
    for (int64_t k = 0; k < left; ++k)
      result[size_t(k)] = select(!removed && position == double(k), extent, result[size_t(k)]);
    position = position + select(removed, position.number(0), position.number(1));
  }
  conditions.push_back(position == double(left));
  for (Scalar& dim : result) dim = valid_or_refused(c, dim, conditions);
  emit_dims(c, dims, result);
}

// 1 where an axis is listed, else the next dimension of the input.
void resolve_unsqueeze(LowerContext& c, ir::BufferId dims) {
  const Shape& from = c.shape(0);
  const auto rank = int64_t(from.size()) + element_count(c, 1);
  std::vector<Scalar> result, conditions;
  Scalar position = number(c, DType::i64, 0);
  for (int64_t d = 0; d < rank; ++d) {
    const Scalar inserted = lists_axis(c, 1, d, rank);
    Scalar dim = number(c, DType::i64, 1);
    for (size_t k = 0; k < from.size(); ++k)
      dim = select(!inserted && position == double(k), index_value(c, from[k]), dim);
    result.push_back(dim);
    position = position + select(inserted, position.number(0), position.number(1));
  }
  conditions.push_back(position == double(from.size()));
  for (Scalar& dim : result) dim = valid_or_refused(c, dim, conditions);
  emit_dims(c, dims, result);
}

}  // namespace

std::vector<Op> reshape_ops() {
  return {
      {.name = "Reshape",
       .versions = {{1, "consumed_inputs:ints shape:ints"},
                    {5, "-consumed_inputs -shape"},
                    13,
                    {14, "allowzero:int"},
                    19,
                    21,
                    23,
                    24,
                    25},
       .inputs = {1, 2},
       .elements = Elements::any,
       .infer = infer_reshape,
       .lower = lower_reshape_to_shape,
       .resolve = resolve_reshape},
      {.name = "Flatten",
       .versions = {{1, "axis:int"}, 9, 11, 13, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_flatten,
       .lower = lower_reshape},
      {.name = "Squeeze",
       .versions = {{1, "axes:ints"}, 11, {13, "-axes"}, 21, 23, 24, 25},
       .inputs = {1, 2},
       .elements = Elements::any,
       .infer = infer_squeeze,
       .lower = lower_reshape_by_axes,
       .resolve = resolve_squeeze},
      {.name = "Unsqueeze",
       .versions = {{1, "axes:ints"}, 11, {13, "-axes"}, 21, 23, 24, 25},
       .inputs = {1, 2},
       .elements = Elements::any,
       .infer = infer_unsqueeze,
       .lower = lower_reshape_by_axes,
       .resolve = resolve_unsqueeze},
  };
}

}  // namespace cppgen::ops
