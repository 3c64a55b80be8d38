#include "cppgen/ops/common.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cppgen/ir/values/op_table.h"
#include "runtime/base/checked.h"
#include "runtime/base/elements.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {

void require_dtype(InferContext& c, int input, DTypes allowed) {
  DType t = c.dtype(input);
  if (bit(t) & allowed) return;
  std::string names;
  for (int k = 0; k < kDTypeCount; ++k) {
    if (bit(DType(k)) & allowed) names += (names.empty() ? "" : ", ") + std::string(name_of(DType(k)));
  }
  c.fail_invalid(fmt::format("input {} is {}; allowed are {}", input, name_of(t), names));
}

void require_same_dtype(InferContext& c, int first, int second) {
  if (c.dtype(first) == c.dtype(second)) return;
  c.fail_invalid(fmt::format("inputs {} and {} must have the same type but are {} and {}", first, second,
                             name_of(c.dtype(first)), name_of(c.dtype(second))));
}

void require_rank(InferContext& c, int input, int least, int most) {
  int rank = int(c.shape(input).size());
  if (rank >= least && (most < 0 || rank <= most)) return;
  std::string wanted = most == least ? fmt::format("{}", least)
                       : most < 0    ? fmt::format("at least {}", least)
                                     : fmt::format("{} to {}", least, most);
  c.fail(
      fmt::format("input {} has the shape {} but must have {} dimensions", input, to_string(c.shape(input)), wanted));
}

void require_one_element(InferContext& c, int input, const char* what) {
  for (const IndexExpr& d : c.shape(input)) {
    if (d.is_constant() && !d.is_constant(1))
      c.fail(fmt::format("input {} ({}) must have one element but has the shape {}", input, what,
                         to_string(c.shape(input))));
    require_equal(c, d, 1, "the dimensions of an input that must have one element, and 1,");
  }
}

DType dtype_of_onnx(InferContext& c, int64_t number) {
  if (const auto type = dtype_from_onnx(number)) return *type;
  c.fail_invalid(fmt::format("element type {} is not supported", number));
}

int normalized_axis(InferContext& c, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) c.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank - 1));
  return int(axis < 0 ? axis + rank : axis);
}

std::vector<int> normalized_axes(InferContext& c, const std::vector<int64_t>& axes, int rank) {
  std::vector<int> out;
  for (int64_t a : axes) out.push_back(normalized_axis(c, a, rank));
  std::sort(out.begin(), out.end());
  auto twice = std::adjacent_find(out.begin(), out.end());
  if (twice != out.end()) c.fail(fmt::format("axis {} is given twice", *twice));
  return out;
}

std::optional<std::vector<int64_t>> axes_argument(InferContext& c, int input) {
  if (c.has("axes")) return c.integers("axes");
  if (!c.has_input(input)) return std::nullopt;
  require_dtype(c, input, bit(DType::i64) | bit(DType::i32));
  return c.constant_ints(input);
}

namespace {

// Only a run knows whether they are equal.
bool are_compared_in_run(InferContext& c, IndexExpr a, IndexExpr b) {
  if (!ir::depends_on_fresh_symbols(a) && !ir::depends_on_fresh_symbols(b)) return false;
  c.compare_in_run(a, b);
  return true;
}

}  // namespace

IndexExpr require_equal(InferContext& c, IndexExpr a, IndexExpr b, const char* what) {
  if (!ir::prove_equal(a, b) && !are_compared_in_run(c, a, b)) {
    c.fail_unequal(a, b, fmt::format("{} must be equal but are {} and {}", what, ir::to_string(a), ir::to_string(b)));
  }
  return a.is_constant() ? a : b;
}

void require_at_most(InferContext& c, IndexExpr a, IndexExpr b, const std::string& otherwise) {
  const IndexExpr least = ir::min(a, b);
  if (!ir::prove_less_equal(a, b) && !are_compared_in_run(c, least, a)) c.fail_unequal(least, a, otherwise);
}

[[noreturn]] static void fail_broadcast(InferContext& c, const Shape& a, const Shape& b, IndexExpr x, IndexExpr y) {
  // A dimension of at most 1, such as the last row of N, is assumed to be 1.
  const bool repeats_x = !x.is_constant() && x.range().hi == 1, repeats_y = !y.is_constant() && y.range().hi == 1;
  c.fail_unequal(
      repeats_y ? y : x, repeats_x || repeats_y ? IndexExpr(int64_t(1)) : y,
      fmt::format("shapes {} and {} do not broadcast: dimensions {} and {} differ and neither is the constant 1",
                  to_string(a), to_string(b), ir::to_string(x), ir::to_string(y)));
}

namespace {

// 0 where the dimension is 1, else 1.
IndexExpr is_not_one(IndexExpr d) { return ir::min(ir::max(d, 1) - ir::min(d, 1), 1); }

bool is_never_one(IndexExpr d) { return d.range().lo > 1 || d.range().hi < 1; }
bool is_at_most_one(IndexExpr d) { return d.range().hi <= 1; }

// Returns whether only a run knows whether `d` is `to` or repeats because it is 1; then the run checks this.
bool is_repeated_in_run(InferContext& c, IndexExpr d, IndexExpr to) {
  const IndexExpr differs = is_not_one(d);
  return are_compared_in_run(c, differs * d, differs * to);
}

// The result's dimension for two that differ and of which neither is the constant 1; nullopt if they do not broadcast
// for all values of the model's symbols. A dimension that the run must still check is not proof that the result has it.
std::optional<IndexExpr> broadcast_unproved(InferContext& c, IndexExpr x, IndexExpr y) {
  if (is_at_most_one(x) && is_at_most_one(y)) return ir::min(x, y);
  if (!ir::depends_on_fresh_symbols(x) && !ir::depends_on_fresh_symbols(y)) return std::nullopt;
  if (is_never_one(x) && is_repeated_in_run(c, y, x)) return x;
  if (is_never_one(y) && is_repeated_in_run(c, x, y)) return y;
  const IndexExpr differ = is_not_one(x) * is_not_one(y);
  c.compare_in_run(differ * x, differ * y);
  return ir::max(x, y) * ir::min(ir::min(x, y), 1);
}

}  // namespace

std::optional<IndexExpr> broadcast_dimensions(InferContext& c, IndexExpr x, IndexExpr y) {
  if (y.is_constant(1) || ir::prove_equal(x, y)) return x;
  return x.is_constant(1) ? y : broadcast_unproved(c, x, y);
}

bool broadcasts_to(InferContext& c, IndexExpr own, IndexExpr wanted) {
  return own.is_constant(1) || ir::prove_equal(own, wanted) || is_repeated_in_run(c, own, wanted);
}

Shape broadcast(InferContext& c, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  size_t skipped = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d) {
    const IndexExpr x = longer[skipped + d], y = shorter[d];
    const std::optional<IndexExpr> both = broadcast_dimensions(c, x, y);
    if (!both) fail_broadcast(c, a, b, x, y);
    out[skipped + d] = *both;
  }
  return out;
}

namespace {

// Dimensions of the broadcast shape; nullopt where only a run can tell whether its own dimension is 1 or equal.
PartialShape broadcast_of(InferContext& c, int first) {
  size_t rank = 0;
  for (int i = first; i < c.input_count(); ++i) rank = std::max(rank, c.shape(i).size());
  PartialShape out(rank, IndexExpr(int64_t(1)));
  for (int i = first; i < c.input_count(); ++i) {
    const Shape& from = c.shape(i);
    for (size_t d = 0; d < from.size(); ++d) {
      std::optional<IndexExpr>& to = out[rank - from.size() + d];
      if (!to || from[d].is_constant(1) || ir::prove_equal(*to, from[d])) continue;
      if (to->is_constant(1)) {
        to = from[d];
      } else if (c.can_resolve() && (ir::depends_on_fresh_symbols(*to) || ir::depends_on_fresh_symbols(from[d]))) {
        to.reset();
      } else if (const auto both = broadcast_unproved(c, *to, from[d])) {
        to = *both;
      } else {
        fail_broadcast(c, c.shape(first), from, *to, from[d]);
      }
    }
  }
  return out;
}

}  // namespace

Shape broadcast_inputs(InferContext& c, int first) {
  const PartialShape partial = broadcast_of(c, first);
  Shape out;
  if (std::all_of(partial.begin(), partial.end(), [](const auto& d) { return d.has_value(); })) {
    for (const auto& d : partial) out.push_back(*d);
  } else {
    out = c.resolved_dimensions(0, partial);
  }
  require_size(c, out, DType::f64);
  return out;
}

void resolve_broadcast(LowerContext& c, ir::BufferId dims) {
  size_t rank = 0;
  for (int i = 0; i < c.input_count(); ++i) rank = std::max(rank, c.shape(i).size());
  ir::LoopNest nest;
  nest.name = "dims";
  for (size_t d = 0; d < rank; ++d) {
    Scalar to = number(c, DType::i64, 1), refused = number(c, DType::i64, -1);
    for (int i = 0; i < c.input_count(); ++i) {
      const Shape& from = c.shape(i);
      if (d < rank - from.size()) continue;
      const Scalar own = index_value(c, from[d - (rank - from.size())]);
      to = select(own == 1.0 || own == to, to, select(to == 1.0, own, refused));
    }
    nest.stores.push_back({dims, {int64_t(d)}, to});
  }
  if (!nest.stores.empty()) c.emit(std::move(nest));
}

void require_broadcasts_to(InferContext& c, int i, const Shape& to) {
  const Shape& from = c.shape(i);
  const auto fail = [&] {
    c.fail(fmt::format("input {} of shape {} does not broadcast to {}", i, to_string(from), to_string(to)));
  };
  if (from.size() > to.size()) fail();
  for (size_t d = 0; d < from.size(); ++d) {
    const IndexExpr own = from[d], wanted = to[to.size() - from.size() + d];
    if (broadcasts_to(c, own, wanted)) continue;
    if (wanted.is_constant(1)) fail();
    fail_broadcast(c, to, from, wanted, own);
  }
}

void require_size(InferContext& c, const Shape& shape, DType dtype) {
  int64_t bytes = int64_t(size_of(dtype));
  for (const IndexExpr& d : shape) {
    if (!d.is_constant()) continue;
    if (d.constant() < 0) c.fail(fmt::format("a dimension of the shape {} is negative", to_string(shape)));
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(d.constant(), 1), &bytes)) {
      c.fail(fmt::format("a tensor of the shape {} is too large", to_string(shape)));
    }
  }
}

int64_t constant_dim(InferContext& c, IndexExpr d, const char* what) {
  if (!d.is_constant()) c.fail(fmt::format("{} must be constant but is {}", what, ir::to_string(d)));
  return d.constant();
}

std::vector<int64_t> constant_dims(InferContext& c, const Shape& shape, const char* what) {
  std::vector<int64_t> out;
  for (const IndexExpr& d : shape) out.push_back(constant_dim(c, d, what));
  return out;
}

bool is_zero_sized(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](IndexExpr d) { return d.is_constant(0); });
}

Scalar load_inside(LowerContext& c, ir::BufferId buffer, std::vector<IndexExpr> at, Scalar otherwise) {
  const ir::Buffer& b = c.program().buffer(buffer);
  std::vector<ir::Guard> guards;
  for (size_t d = 0; d < at.size(); ++d) {
    bool inside = ir::prove_less_equal(0, at[d]) && ir::prove_less(at[d], b.shape[d]);
    if (!inside) guards.push_back({at[d], 0, b.shape[d]});
  }
  if (guards.empty()) return load(c, buffer, std::move(at));
  return scalar(c, c.exprs().load(buffer, b.type, std::move(at), std::move(guards), otherwise));
}

namespace {

// Replaces the indices of these axes by variables whose extents are those of the buffer, or at least 1.
std::vector<ir::Indirect> bind_gathered(LowerContext& c, ir::BufferId buffer, At& at, const std::vector<Gathered>& axes,
                                        bool at_least_one) {
  const ir::Buffer& b = c.program().buffer(buffer);
  std::vector<ir::Indirect> indirects;
  for (const Gathered& g : axes) {
    IndexExpr variable = c.index().indirect(
        at_least_one ? ir::max(b.shape[g.axis], 1) : b.shape[g.axis],
        one_line(fmt::format("node '{}' ({}): axis {} of '{}'", c.node().name, c.node().op, g.axis, b.name)));
    at[g.axis] = variable;
    indirects.push_back({variable.node(), g.position.cast(DType::i64)});
  }
  return indirects;
}

}  // namespace

Scalar load_gathered(LowerContext& c, ir::BufferId buffer, std::vector<IndexExpr> at,
                     const std::vector<Gathered>& axes) {
  auto indirects = bind_gathered(c, buffer, at, axes, false);
  const DType type = c.program().buffer(buffer).type;
  return scalar(c, c.exprs().load(buffer, type, std::move(at), {}, nullptr, std::move(indirects)));
}

Scalar load_gathered_or(LowerContext& c, ir::BufferId buffer, std::vector<IndexExpr> at,
                        const std::vector<Gathered>& axes, Scalar otherwise) {
  std::vector<ir::Guard> guards;
  for (IndexExpr extent : c.program().buffer(buffer).shape)
    if (!ir::prove_less(0, extent)) guards.push_back({0, 0, extent});
  if (guards.empty()) return load_gathered(c, buffer, std::move(at), axes);
  auto indirects = bind_gathered(c, buffer, at, axes, true);
  const DType type = c.program().buffer(buffer).type;
  return scalar(c, c.exprs().load(buffer, type, std::move(at), std::move(guards), otherwise, std::move(indirects)));
}

// Each position is looked up in a table of all positions.
ir::BufferId emit_checked_positions(LowerContext& c, const Shape& shape, IndexExpr extent, const std::string& what,
                                    const std::function<Scalar(const std::vector<IndexExpr>&)>& position) {
  ir::BufferId all = c.temporary(DType::i64, {extent}), checked = c.temporary(DType::i64, shape);
  c.emit_pointwise(
      all, [&](const auto& at) { return index_value(c, at[0]); }, "positions");
  c.emit_pointwise(
      checked,
      [&](const auto& at) {
        IndexExpr variable =
            c.index().indirect(extent, one_line(fmt::format("node '{}' ({}): {}", c.node().name, c.node().op, what)));
        ir::Indirect binding{variable.node(), position(at).cast(DType::i64)};
        return scalar(c, c.exprs().load(all, DType::i64, {variable}, {}, nullptr, {binding}));
      },
      "checked");
  return checked;
}

void emit_reduction(LowerContext& c, const ReductionSpec& spec) {
  ir::LoopNest nest;
  nest.name = spec.name;
  nest.loops = c.loops(spec.loops.value_or(c.program().buffer(spec.output).shape));
  nest.reduced = c.loops(spec.reduced, "r");
  std::vector<IndexExpr> at = LowerContext::indices(nest.loops);
  Scalar value = spec.value(at, LowerContext::indices(nest.reduced));
  nest.reductions.push_back({spec.op, value.type(), value});
  Scalar result = scalar(c, c.exprs().accumulator(0, value.type()));
  nest.stores.push_back(
      {spec.output, spec.store_at ? spec.store_at(at) : at, spec.finish ? spec.finish(result) : result});
  c.emit(std::move(nest));
}

namespace {

template <class T>
Tensor copy_tensor(DType dtype, const std::vector<T>& values, std::vector<int64_t> dims) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(dtype, std::move(dims), std::move(bytes));
}

}  // namespace

Scalar lowest(LowerContext& c, DType t) { return scalar(c, ir::identity(c.exprs(), ir::ReduceOp::max, t)); }
Scalar highest(LowerContext& c, DType t) { return scalar(c, ir::identity(c.exprs(), ir::ReduceOp::min, t)); }

Tensor tensor_of(const std::vector<int64_t>& values, std::vector<int64_t> dims) {
  return copy_tensor(DType::i64, values, std::move(dims));
}

Tensor tensor_of(DType dtype, const std::vector<double>& values, std::vector<int64_t> dims) {
  if (dtype == DType::f64) return copy_tensor(dtype, values, std::move(dims));
  check(dtype == DType::f32, "constant tables are float32 or float64");
  return copy_tensor(dtype, std::vector<float>(values.begin(), values.end()), std::move(dims));
}

double float_element(const Tensor& t, int64_t i) { return number_element(t.dtype, t.data.bytes, i); }

std::vector<double> float_elements(InferContext& c, int input) {
  const Tensor* t = c.constant(input);
  if (!t) c.fail(fmt::format("input {} must be constant", input));
  if (t->elements() > 1024) c.fail(fmt::format("input {} has {} elements, more than 1024", input, t->elements()));
  std::vector<double> out;
  for (int64_t i = 0; i < t->elements(); ++i) out.push_back(float_element(*t, i));
  return out;
}

rt::HostStep host_call(std::string function) {
  rt::HostStep step;
  step.op = rt::HostOp::function;
  step.function = std::move(function);
  return step;
}

}  // namespace cppgen::ops
