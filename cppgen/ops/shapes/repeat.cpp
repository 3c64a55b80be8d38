// Expand and Tile.
#include <algorithm>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

// A dimension of the input that is not 1 is unchanged.
Shape run_time_expansion(InferContext& c) {
  const Shape& from = c.shape(0);
  PartialShape partial(std::max(from.size(), size_t(element_count(c, 1))));
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d].is_constant() && !from[d].is_constant(1)) partial[partial.size() - from.size() + d] = from[d];
  const Shape to = require_declared(c, 1, "the shape", partial);
  if (!is_resolved(c)) require_broadcasts_to(c, 0, to);
  return to;
}

void resolve_expand(LowerContext& c, ir::BufferId dims) {
  const Shape& from = c.shape(0);
  const auto given = size_t(element_count(c, 1)), rank = std::max(from.size(), given);
  std::vector<Scalar> result, conditions;
  for (size_t d = 0; d < rank; ++d) {
    const Scalar one = number(c, DType::i64, 1);
    const Scalar own = d < rank - from.size() ? one : index_value(c, from[d - (rank - from.size())]);
    const Scalar requested = d < rank - given ? one : integer_element(c, 1, int64_t(d - (rank - given)));
    conditions.push_back(own == requested || own == 1.0 || requested == 1.0);
    result.push_back(select(own == 1.0, requested, own));
  }
  for (Scalar& dim : result) dim = valid_or_refused(c, dim, conditions);
  emit_dims(c, dims, result);
}

// The dimension of a vector that may have one element or the requested number at run time, such as one timestep for all
// images of a batch; nullopt if the input is not a vector, or its length is known to be one of the two.
std::optional<size_t> one_or_all(const Shape& from, const Shape& requested) {
  std::optional<size_t> own;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d].is_constant(1)) continue;
    if (own) return std::nullopt;
    own = d;
  }
  if (!own || requested.size() < from.size() - *own) return std::nullopt;
  const IndexExpr n = from[*own], of = requested[requested.size() - from.size() + *own];
  const bool is_symbol = n.node() && n.node()->op == ir::IndexOp::variable && !ir::is_fresh_symbol(n);
  if (!is_symbol || of.is_constant(1) || ir::depends_on_fresh_symbols(of) || ir::prove_equal(n, of))
    return std::nullopt;
  return own;
}

// The kernel checks the length when it reads an element. Where none is requested, a bound of the model refuses lengths
// above 1.
void refuse_all_of_none(InferContext& c, IndexExpr length, IndexExpr requested) {
  const ir::IndexBound bound{ir::min(length - 1, IndexExpr(1) - requested), 0};
  const auto& known = c.index().assumptions();
  if (ir::prove_less_equal(bound.least, bound.most) || std::find(known.begin(), known.end(), bound) != known.end())
    return;
  c.index().assume(bound);
}

Shape expansion(InferContext& c, const Shape& requested) {
  Shape from = c.shape(0);
  if (const auto own = one_or_all(from, requested)) {
    refuse_all_of_none(c, from[*own], requested[requested.size() - from.size() + *own]);
    from[*own] = 1;
  }
  return broadcast(c, from, requested);
}

void infer_expand(InferContext& c) {
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 1, 1, 1);
  const std::vector<IndexExpr>* dims = c.contents(1);
  Shape to = dims ? expansion(c, *dims) : run_time_expansion(c);
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// The conditions for a run-time shape to broadcast to the declared one.
std::vector<Scalar> agrees_with_expansion(LowerContext& c) {
  const Shape &from = c.shape(0), &to = c.output(0).shape;
  int64_t rank = int64_t(to.size()), given = element_count(c, 1), skipped = rank - given;
  if (skipped < 0) c.fail(fmt::format("the shape has {} dimensions, but the output has {}", given, rank));
  std::vector<Scalar> conditions;
  for (int64_t d = skipped; d < rank; ++d) {
    Scalar requested = integer_element(c, 1, d - skipped);
    Scalar agrees = requested == index_value(c, to[size_t(d)]);
    int64_t own = d - (rank - int64_t(from.size()));
    if (own >= 0)
      agrees = agrees || (requested == 1.0 && index_value(c, from[size_t(own)]) == index_value(c, to[size_t(d)]));
    conditions.push_back(agrees);
  }
  return conditions;
}

void lower_one_or_all(LowerContext& c, size_t own) {
  const Shape& from = c.shape(0);
  const size_t d = c.output(0).shape.size() - from.size() + own;
  const IndexExpr all = c.output(0).shape[d];
  const Scalar given = index_value(c, from[own]), requested = index_value(c, all);
  const std::string otherwise = fmt::format(
      "its input has neither one element nor as many as are requested ({0}). For {0} = 1, compile the model "
      "with this size.",
      ir::to_string(all));
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    std::vector<IndexExpr> element(from.size(), IndexExpr(int64_t(0)));
    element[own] = ir::min(at[d], from[own] - 1);
    return checked(c, load_input(c, 0, element), {given == 1.0 || given == requested}, otherwise);
  });
}

void lower_expand(LowerContext& c) {
  if (!is_run_time(c, 1)) {
    if (const auto own = one_or_all(c.shape(0), c.output(0).shape)) return lower_one_or_all(c, *own);
    return c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return c.load_broadcast(0, at); });
  }
  std::vector<Scalar> conditions = agrees_with_expansion(c);
  const Shape& from = c.shape(0);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    std::vector<IndexExpr> own(at.end() - int64_t(from.size()), at.end());
    for (size_t d = 0; d < from.size(); ++d)
      own[d] = is_resolved(c) ? ir::min(own[d], from[d] - 1) : broadcast_index(own[d], from[d]);
    return checked(c, load_input(c, 0, own), conditions);
  });
}

// Declared dimensions that are multiples of the input's.
void infer_declared_tile(InferContext& c) {
  const Shape& from = c.shape(0);
  if (element_count(c, 1) != int64_t(from.size())) c.fail("there is not one repeat for each dimension");
  Shape to = require_declared(c, 1, "the repeats", unknown_dims(from.size()));
  require_rank(c, 0, int(to.size()), int(to.size()));
  if (is_resolved(c)) return c.set_output(0, c.dtype(0), to);
  for (size_t d = 0; d < to.size(); ++d)
    require_equal(c, mod(to[d], from[d]), 0, "the remainder of a declared dimension by the input's and 0");
  if (from.empty() || is_zero_sized(from)) c.fail("input 1 (the repeats) must be constant for an empty input");
  c.set_output(0, c.dtype(0), to);
}

void infer_tile(InferContext& c) {
  Shape to = c.shape(0);
  if (c.opset() < 6) {  // one axis, repeated
    require_one_element(c, 1, "the tiles");
    require_one_element(c, 2, "the axis");
    int axis = normalized_axis(c, c.constant_ints(2).at(0), int(to.size()));
    to[axis] = to[axis] * IndexExpr(c.constant_ints(1).at(0));
  } else {
    const std::vector<IndexExpr>* repeats = c.contents(1);
    if (!repeats) return infer_declared_tile(c);
    if (repeats->size() != to.size())
      c.fail(fmt::format("there are {} repeats for {} dimensions", repeats->size(), to.size()));
    for (size_t d = 0; d < to.size(); ++d) to[d] = to[d] * (*repeats)[d];
  }
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

bool is_repeated(const Shape& from, const Shape& to, size_t d) {
  return !from[d].is_constant(1) && !from[d].is_constant(0) && !ir::prove_equal(from[d], to[d]);
}

// Along a last dimension that is not too short, repetitions are loops of their own, so neighbours stay neighbours.
bool repeats_rows(const Shape& from, const Shape& to) {
  constexpr int64_t kShort = 8;
  const size_t last = from.size() - 1;
  return !from.empty() && is_repeated(from, to, last) && from[last].is_constant() && from[last].constant() >= kShort;
}

void emit_repeated_rows(LowerContext& c, const std::vector<Scalar>& conditions) {
  const Shape& from = c.shape(0);
  const Shape& to = c.output(0).shape;
  ir::LoopNest nest;
  std::vector<IndexExpr> load_at, store_at;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool repeated = is_repeated(from, to, d);
    const auto loops = c.loops(repeated ? Shape{floordiv(to[d], from[d]), from[d]} : Shape{to[d]}, "d");
    nest.loops.insert(nest.loops.end(), loops.begin(), loops.end());
    load_at.push_back(from[d].is_constant(1) ? IndexExpr() : loops.back().var);
    store_at.push_back(repeated ? loops[0].var * from[d] + loops[1].var : loops[0].var);
  }
  nest.stores.push_back({c.output_buffer(0), store_at, checked(c, load_input(c, 0, load_at), conditions)});
  c.emit(std::move(nest));
}

void resolve_tile(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (size_t d = 0; d < c.shape(0).size(); ++d)
    result.push_back(index_value(c, c.shape(0)[d]) * integer_element(c, 1, int64_t(d)));
  emit_dims(c, dims, result);
}

void lower_tile(LowerContext& c) {
  const Shape& from = c.shape(0);
  std::vector<Scalar> conditions;
  for (size_t d = 0; c.opset() >= 6 && is_run_time(c, 1) && d < from.size(); ++d)
    conditions.push_back(integer_element(c, 1, int64_t(d)) * index_value(c, from[d]) ==
                         index_value(c, c.output(0).shape[d]));
  if (!is_resolved(c) && repeats_rows(from, c.output(0).shape)) return emit_repeated_rows(c, conditions);
  c.emit_pointwise(c.output_buffer(0), [&](auto at) {
    for (size_t d = 0; d < at.size(); ++d) {
      if (from[d].is_constant(1))
        at[d] = 0;
      else if (is_repeated(from, c.output(0).shape, d))
        at[d] = mod(at[d], from[d]);
    }
    return checked(c, load_input(c, 0, at), conditions);
  });
}

}  // namespace

std::vector<Op> repeat_ops() {
  return {
      {.name = "Expand",
       .versions = {8, 13},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_expand,
       .lower = lower_expand,
       .resolve = resolve_expand},
      {.name = "Tile",
       .versions = {1, 6, 13},
       .inputs = {2, 3},
       .elements = Elements::any,
       .infer = infer_tile,
       .lower = lower_tile,
       .resolve = resolve_tile},
  };
}

}  // namespace cppgen::ops
