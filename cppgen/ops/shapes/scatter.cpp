#include "runtime/plan/calls/scatter.h"

#include <algorithm>
#include <iterator>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/library_calls.h"

namespace cppgen::ops {
namespace {

// Scattering is stated from the side of the result, so that points stay independent and equal indices are well
// defined: an element of the output looks for the updates that are aimed at it. Without a reduction the last one wins.
using ir::ReduceOp;

struct Combine {
  std::optional<ReduceOp> op;
};

Combine combine_of(InferContext& c) {
  std::string name = c.text("reduction", "none");
  if (name == "none") return {};
  if (c.dtype(0) == kString) c.fail("strings are only replaced: attribute 'reduction' must be none");
  const bool logical = c.dtype(0) == DType::boolean;
  if (name == "add") return {logical ? ReduceOp::max : ReduceOp::sum};
  if (name == "mul") return {logical ? ReduceOp::min : ReduceOp::prod};
  if (name == "max" && c.opset() >= 18) return {ReduceOp::max};
  if (name == "min" && c.opset() >= 18) return {ReduceOp::min};
  c.fail(
      fmt::format("attribute 'reduction' is '{}'; allowed are none, add, mul and, since opset 18, max and min", name));
}

Scalar combined(ReduceOp op, Scalar a, Scalar b) {
  switch (op) {
    case ReduceOp::sum:
      return a + b;
    case ReduceOp::prod:
      return a * b;
    case ReduceOp::max:
      return max(a, b);
    default:
      return min(a, b);
  }
}

// The components of a scatter: the loops over updates, whether an update addresses the output element, and its value.
struct Search {
  Shape updates;  // extents of the loops over updates that may hit one output element
  std::function<Scalar(const At& at, const At& update)> hits;
  std::function<Scalar(const At& at, const At& update)> value;
  std::function<Scalar(const At& at, Scalar position)> value_at;  // of the update at this position of the loops
};

void emit_reducing(LowerContext& c, const Search& s, ReduceOp op) {
  DType type = ir::value_type(c.dtype(0));
  ir::LoopNest nest;
  nest.loops = c.loops(c.shape(0));
  nest.reduced = c.loops(s.updates, "u");
  At at = LowerContext::indices(nest.loops), u = LowerContext::indices(nest.reduced);
  const Scalar none = scalar(c, ir::identity(c.exprs(), op, type));
  nest.reductions.push_back({op, type, select(s.hits(at, u), s.value(at, u), none)});
  Scalar found = scalar(c, c.exprs().accumulator(0, type));
  nest.stores.push_back({c.output_buffer(0), at, combined(op, load_input(c, 0, at), found)});
  c.emit(std::move(nest));
}

// First the position of the last update for each element (-1: none), then the choice.
void emit_replacing(LowerContext& c, const Search& s) {
  ir::BufferId winner = c.temporary(DType::i64, c.shape(0));
  emit_reduction(c, {"winner", winner, s.updates, ReduceOp::max,
                     [&](const At& at, const At& u) {
                       IndexExpr position;
                       for (size_t d = 0; d < u.size(); ++d) position = position * s.updates[d] + u[d];
                       return select(s.hits(at, u), index_value(c, position), number(c, DType::i64, -1));
                     },
                     nullptr});
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar position = load(c, winner, at);
    return select(position >= 0.0, s.value_at(at, max(position, 0.0)), load_input(c, 0, at));
  });
}

void emit_search(LowerContext& c, const Search& s) {
  if (is_zero_sized(c.shape(2))) {
    return c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load_input(c, 0, at); });
  }
  Combine combine = combine_of(c);
  combine.op ? emit_reducing(c, s, *combine.op) : emit_replacing(c, s);
}

// A copy with the updates applied in their order, by the library. Sets the call's type and combination.
template <class Call>
void emit_scatter_call(LowerContext& c, const char* function, Call call) {
  const Combine combine = combine_of(c);
  constexpr std::pair<ReduceOp, rt::Combine> kKnown[] = {{ReduceOp::sum, rt::Combine::sum},
                                                         {ReduceOp::prod, rt::Combine::prod},
                                                         {ReduceOp::max, rt::Combine::max},
                                                         {ReduceOp::min, rt::Combine::min}};
  for (const auto& [op, known] : kKnown)
    if (combine.op == op) call.combine = known;
  const DType type = !combine.op || computes_as_stored(c.dtype(0)) ? c.dtype(0) : DType::f32;
  call.type = type;
  const std::vector<ir::BufferId> inputs = {emit_as(c, c.input_buffer(0), type, "widened"),
                                            emit_as(c, c.input_buffer(1), DType::i64, "indices"),
                                            emit_as(c, c.input_buffer(2), type, "widened")};
  const ir::BufferId result = result_as(c, 0, type);
  c.emit(library_call(function, call, inputs, {result}));
  emit_result(c, result, 0);
}

void infer_scatter_elements(InferContext& c) {
  require_same_dtype(c, 0, 2);
  require_dtype(c, 1, bit(DType::i32) | bit(DType::i64));
  int rank = int(c.shape(0).size());
  require_rank(c, 0, 1, -1);
  require_rank(c, 1, rank, rank);
  require_rank(c, 2, rank, rank);
  int axis = normalized_axis(c, c.integer("axis", 0), rank);
  combine_of(c);
  for (int d = 0; d < rank; ++d) {
    require_equal(c, c.shape(1)[d], c.shape(2)[d], "dimensions of indices and updates");
    if (d != axis)
      require_at_most(c, c.shape(1)[d], c.shape(0)[d],
                      fmt::format("dimension {} of the indices exceeds that of the data", d));
  }
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_scatter_elements(LowerContext& c) {
  const Shape& data = c.shape(0);
  const Shape& updates = c.shape(1);
  int axis = normalized_axis(c, c.integer("axis", 0), int(data.size()));
  if (c.uses_library() && !is_zero_sized(updates)) {
    rt::ScatterElementsCall<IndexExpr> call;
    call.axis = axis, call.data = data, call.updates = updates;
    return emit_scatter_call(c, rt::kScatterElements, std::move(call));
  }
  auto aimed = [&](const At& at, IndexExpr u) {
    At from = at;
    from[axis] = u;
    return from;
  };
  ir::BufferId targets = emit_checked_positions(c, updates, data[axis], fmt::format("an index on axis {}", axis),
                                                [&](const At& at) { return load_input(c, 1, at); });
  Search s;
  s.updates = {updates[axis]};
  s.hits = [&, aimed](const At& at, const At& u) {
    // Updates may cover only a part of the other dimensions; elsewhere, a position that matches no element is read.
    Scalar nowhere = number(c, DType::i64, -1);
    return load_inside(c, targets, aimed(at, u[0]), nowhere) == index_value(c, at[axis]);
  };
  Scalar zero = number(c, ir::value_type(c.dtype(0)), 0);
  s.value = [&, aimed, zero](const At& at, const At& u) {
    return load_inside(c, c.input_buffer(2), aimed(at, u[0]), zero);
  };
  s.value_at = [&, zero](At at, Scalar position) {
    // Where updates cover only a part, positions elsewhere are never chosen, but must be readable.
    for (size_t d = 0; d < at.size(); ++d) {
      if (!ir::prove_less(at[d], updates[d])) at[d] = ir::max(ir::min(at[d], updates[d] - 1), 0);
    }
    return load_gathered_or(c, c.input_buffer(2), at, {{axis, position}}, zero);
  };
  emit_search(c, s);
}

struct TupleShape {
  int depth, outer;  // addressed dimensions; dimensions of the indices before the last
};

TupleShape tuple_shape(InferContext& c) {
  require_dtype(c, 1, bit(DType::i64));
  require_same_dtype(c, 0, 2);
  require_rank(c, 0, 1, -1);
  require_rank(c, 1, 1, -1);
  int rank = int(c.shape(0).size()), outer = int(c.shape(1).size()) - 1;
  int64_t depth = constant_dim(c, c.shape(1).back(), "the last dimension of the indices");
  if (depth > rank) c.fail(fmt::format("the indices address {} of {} dimensions", depth, rank));
  require_rank(c, 2, outer + rank - int(depth), outer + rank - int(depth));
  return {int(depth), outer};
}

void infer_scatter_nd(InferContext& c) {
  TupleShape t = tuple_shape(c);
  combine_of(c);
  for (int d = 0; d < int(c.shape(2).size()); ++d) {
    IndexExpr wanted = d < t.outer ? c.shape(1)[d] : c.shape(0)[t.depth + d - t.outer];
    require_equal(c, c.shape(2)[d], wanted, "dimensions of the updates and of what they replace");
  }
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_scatter_nd(LowerContext& c) {
  TupleShape t = tuple_shape(c);
  const Shape& data = c.shape(0);
  if (c.uses_library() && !is_zero_sized(c.shape(2))) {
    const Shape& tuples = c.shape(1);
    rt::ScatterNdCall<IndexExpr> call;
    call.rows = ir::product(Shape(tuples.begin(), tuples.end() - 1));
    call.slice = ir::product(Shape(data.begin() + t.depth, data.end()));
    call.addressed.assign(data.begin(), data.begin() + t.depth);
    return emit_scatter_call(c, rt::kScatterNd, std::move(call));
  }
  auto update_index = [&](const At& at, At outer) {
    outer.insert(outer.end(), at.begin() + t.depth, at.end());
    return outer;
  };
  Search s;
  s.updates.assign(c.shape(1).begin(), c.shape(1).end() - 1);
  std::vector<ir::BufferId> targets;
  for (int k = 0; k < t.depth; ++k) {
    auto index = [&](At at) {
      at.push_back(k);
      return load_input(c, 1, at);
    };
    targets.push_back(emit_checked_positions(c, s.updates, data[k], fmt::format("an index on axis {}", k), index));
  }
  s.hits = [&](const At& at, const At& u) {
    Scalar all = number(c, DType::boolean, 1);
    for (int k = 0; k < t.depth; ++k) {
      Scalar hit = load(c, targets[k], u) == index_value(c, at[k]);
      all = k == 0 ? hit : all && hit;
    }
    return all;
  };
  s.value = [&](const At& at, const At& u) { return load_input(c, 2, update_index(at, u)); };
  s.value_at = [&](const At& at, Scalar position) {
    std::vector<Gathered> gathered;
    At from = update_index(at, At(s.updates.size()));
    for (int d = t.outer; d-- > 0;) {
      Scalar extent = index_value(c, s.updates[d]);
      gathered.push_back(
          {d, d == 0 ? position : scalar(c, c.exprs().binary(ir::BinaryOp::mod_trunc, position, extent))});
      position = position / extent;
    }
    return load_gathered_or(c, c.input_buffer(2), from, gathered, number(c, ir::value_type(c.dtype(0)), 0));
  };
  emit_search(c, s);
}

}  // namespace

std::vector<Op> scatter_ops() {
  return {
      {.name = "Scatter",
       .versions = {{9, "axis:int"}, 11},
       .inputs = 3,
       .elements = Elements::strings,
       .infer = infer_scatter_elements,
       .lower = lower_scatter_elements},
      {.name = "ScatterElements",
       .versions = {{11, "axis:int"}, 13, {16, "reduction:string"}, 18},
       .inputs = 3,
       .elements = Elements::strings,
       .infer = infer_scatter_elements,
       .lower = lower_scatter_elements},
      {.name = "ScatterND",
       .versions = {11, 13, {16, "reduction:string"}, 18},
       .inputs = 3,
       .elements = Elements::strings,
       .infer = infer_scatter_nd,
       .lower = lower_scatter_nd},
  };
}

}  // namespace cppgen::ops
