#include "cppgen/ops/recurrent.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;
using ir::AxisRole;

void require_shape(InferContext& c, int input, const Shape& wanted) {
  if (!c.has_input(input)) return;
  require_rank(c, input, int(wanted.size()), int(wanted.size()));
  for (size_t d = 0; d < wanted.size(); ++d)
    require_equal(c, c.shape(input)[d], wanted[d], "a dimension and the one that the other inputs give");
}

Shape state_shape(const RecurrentShape& s) {
  IndexExpr directions = s.directions;
  return s.batch_first ? Shape{s.batch, directions, s.hidden} : Shape{directions, s.batch, s.hidden};
}

}  // namespace

RecurrentShape recurrent_shape(InferContext& c, int gates) {
  RecurrentShape s;
  s.gates = gates;
  std::string direction = c.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    c.fail(fmt::format("attribute 'direction' is '{}'; allowed are forward, reverse, bidirectional", direction));
  s.directions = direction == "bidirectional" ? 2 : 1;
  s.first_reversed = direction == "reverse";
  s.batch_first = c.opset() >= 14 && c.integer("layout", 0) != 0;
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 3, 3);
  require_rank(c, 1, 3, 3);
  require_rank(c, 2, 3, 3);
  s.steps = constant_dim(c, c.shape(0)[s.batch_first ? 1 : 0], "the length of the sequences");
  if (s.steps < 1 || s.steps > kMaxRecurrentSteps)
    c.fail(fmt::format("the sequences have {} steps; allowed are 1 to {}", s.steps, kMaxRecurrentSteps));
  s.batch = c.shape(0)[s.batch_first ? 0 : 1], s.input = c.shape(0)[2], s.hidden = c.shape(2)[2];
  if (c.has("hidden_size"))
    require_equal(c, s.hidden, c.integer("hidden_size"), "the columns of the recurrent weights and hidden_size");
  const IndexExpr rows = s.hidden * IndexExpr(gates), directions = s.directions;
  require_shape(c, 1, {directions, rows, s.input});
  require_shape(c, 2, {directions, rows, s.hidden});
  require_shape(c, 3, {directions, rows * IndexExpr(2)});
  require_shape(c, 4, {s.batch});
  for (int i : {5, 6}) require_shape(c, i, state_shape(s));
  require_shape(c, 7, {directions, s.hidden * IndexExpr(3)});
  for (int i : {1, 2, 3, 5, 6, 7})
    if (c.has_input(i)) require_same_dtype(c, 0, i);
  if (c.has_input(4)) require_dtype(c, 4, bit(DType::i32));
  return s;
}

void infer_recurrent(InferContext& c, int gates, int states) {
  RecurrentShape s = recurrent_shape(c, gates);
  IndexExpr steps = s.steps, directions = s.directions;
  Shape sequence{steps, directions, s.batch, s.hidden};
  if (s.batch_first) sequence = {s.batch, steps, directions, s.hidden};
  c.set_output(0, c.dtype(0), sequence);
  for (int i = 1; i <= states; ++i) c.set_output(i, c.dtype(0), state_shape(s));
}

RecurrentPass::RecurrentPass(LowerContext& c, const RecurrentShape& shape, int direction)
    : c(c), shape(shape), direction(direction), type(ir::value_type(c.dtype(0))) {
  projections_ = project();
}

Scalar RecurrentPass::length(IndexExpr b) const { return load_input(c, 4, {b}).cast(DType::i64); }

// Sequences of a reversed direction begin at their own last step.
ir::BufferId RecurrentPass::project() {
  const IndexExpr rows = shape.hidden * IndexExpr(shape.gates), steps = shape.steps, d = direction;
  ir::BufferId out = c.temporary(type, {steps, shape.batch, rows});
  ir::LoopNest nest;
  nest.name = "project";
  nest.loops = c.loops({steps, shape.batch, rows});
  nest.reduced = c.loops({shape.input}, "k");
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  auto position = [&](IndexExpr step) { return shape.batch_first ? At{at[1], step, k} : At{step, at[1], k}; };
  Scalar x = load_input(c, 0, position(shape.reversed(direction) ? steps - 1 - at[0] : at[0]));
  if (shape.reversed(direction) && has_lengths()) {
    Scalar step = index_value(c, at[0]), end = length(at[1]);
    x = load_gathered(c, c.input_buffer(0), position(IndexExpr()),
                      {{shape.batch_first ? 1 : 0, select(step < end, end - 1.0 - step, step)}});
  } else {
    nest.roles = {AxisRole::rows, AxisRole::rows, AxisRole::columns, AxisRole::depth};
  }
  nest.reductions.push_back({ir::ReduceOp::sum, type, x * load_input(c, 1, {d, at[2], k})});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, type), {}});
  c.emit(std::move(nest));
  return out;
}

Scalar RecurrentPass::weight_bias(int gate, IndexExpr h) const {
  if (!c.has_input(3)) return number(c, type, 0);
  return load_input(c, 3, {IndexExpr(direction), shape.hidden * IndexExpr(gate) + h});
}

Scalar RecurrentPass::recurrent_bias(int gate, IndexExpr h) const { return weight_bias(shape.gates + gate, h); }

Scalar RecurrentPass::projected(int64_t step, int gate, IndexExpr b, IndexExpr h) const {
  return load(c, *projections_, {step, b, shape.hidden * IndexExpr(gate) + h}) + weight_bias(gate, h);
}

std::optional<ir::BufferId> RecurrentPass::recur(std::optional<ir::BufferId> state, int first, int count) {
  if (!state) return std::nullopt;
  const IndexExpr columns = shape.hidden * IndexExpr(count);
  ir::BufferId out = c.temporary(type, {shape.batch, columns});
  ir::LoopNest nest;
  nest.name = "recur";
  nest.loops = c.loops({shape.batch, columns});
  nest.reduced = c.loops({shape.hidden}, "k");
  nest.roles = {AxisRole::rows, AxisRole::columns, AxisRole::depth};
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var, row = shape.hidden * IndexExpr(first) + at[1];
  Scalar product = load(c, *state, {at[0], k}) * load_input(c, 2, {IndexExpr(direction), row, k});
  nest.reductions.push_back({ir::ReduceOp::sum, type, product});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, type), {}});
  c.emit(std::move(nest));
  return out;
}

std::optional<ir::BufferId> RecurrentPass::initial(int i) {
  if (!c.has_input(i)) return std::nullopt;
  ir::BufferId out = c.temporary(type, {shape.batch, shape.hidden});
  const IndexExpr d = direction;
  c.emit_pointwise(
      out,
      [&](const At& at) {
        return load_input(c, i, shape.batch_first ? At{at[0], d, at[1]} : At{d, at[0], at[1]});
      },
      "initial");
  return out;
}

Scalar RecurrentPass::value(std::optional<ir::BufferId> state, IndexExpr b, IndexExpr h) const {
  return state ? load(c, *state, {b, h}) : number(c, type, 0);
}

ir::BufferId RecurrentPass::store_state(int64_t step, std::optional<ir::BufferId> before, const std::string& name,
                                        const std::function<Scalar(IndexExpr, IndexExpr)>& next) {
  ir::BufferId out = c.temporary(type, {shape.batch, shape.hidden});
  c.emit_pointwise(
      out,
      [&](const At& at) {
        Scalar x = next(at[0], at[1]);
        return has_lengths() ? select(length(at[0]) > double(step), x, value(before, at[0], at[1])) : x;
      },
      name);
  return out;
}

ir::BufferId RecurrentPass::stacked(const std::vector<ir::BufferId>& states) {
  ir::BufferId all = c.temporary(type, {int64_t(states.size()), shape.batch, shape.hidden});
  for (size_t s = 0; s < states.size(); ++s) {
    ir::LoopNest nest;
    nest.name = "stack";
    nest.loops = c.loops({shape.batch, shape.hidden});
    const At at = LowerContext::indices(nest.loops);
    nest.stores.push_back({all, {int64_t(s), at[0], at[1]}, load(c, states[s], at), {}});
    c.emit(std::move(nest));
  }
  return all;
}

// Y is 0 behind the end of a sequence.
void RecurrentPass::store_sequence(const std::vector<ir::BufferId>& states) {
  if (!c.has_output(0)) return;
  const bool gathers = shape.reversed(direction) && has_lengths();
  const ir::BufferId all = gathers ? stacked(states) : -1;
  for (int64_t t = 0; t < shape.steps; ++t) {
    const int64_t step = shape.reversed(direction) ? shape.steps - 1 - t : t;
    ir::LoopNest nest;
    nest.name = "sequence";
    nest.loops = c.loops({shape.batch, shape.hidden});
    const At at = LowerContext::indices(nest.loops);
    Scalar state = load(c, states[size_t(step)], at);
    if (has_lengths()) {
      Scalar end = length(at[0]);
      if (gathers) state = load_gathered(c, all, {IndexExpr(), at[0], at[1]}, {{0, max(end - double(t + 1), 0.0)}});
      state = select(end > double(t), state, state.number(0));
    }
    const IndexExpr time = t, d = direction;
    nest.stores.push_back(
        {c.output_buffer(0), shape.batch_first ? At{at[0], time, d, at[1]} : At{time, d, at[0], at[1]}, state, {}});
    c.emit(std::move(nest));
  }
}

void RecurrentPass::store_last(int i, std::optional<ir::BufferId> state) {
  if (!c.has_output(i)) return;
  ir::LoopNest nest;
  nest.name = "last";
  nest.loops = c.loops({shape.batch, shape.hidden});
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr d = direction;
  nest.stores.push_back({c.output_buffer(i),
                         shape.batch_first ? At{at[0], d, at[1]} : At{d, at[0], at[1]},
                         value(state, at[0], at[1]),
                         {}});
  c.emit(std::move(nest));
}

}  // namespace cppgen::ops
