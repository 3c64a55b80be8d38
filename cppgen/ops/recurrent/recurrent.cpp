#include "cppgen/ops/recurrent/recurrent.h"

#include "cppgen/ops/choice.h"

namespace cppgen::ops {
namespace {

using ir::AxisRole;

void require_shape(InferContext& c, int input, const Shape& wanted) {
  if (!c.has_input(input)) return;
  require_rank(c, input, int(wanted.size()), int(wanted.size()));
  for (size_t d = 0; d < wanted.size(); ++d)
    require_equal(c, c.shape(input)[d], wanted[d], "a dimension and the one that follows from the other inputs");
}

Shape state_shape(const RecurrentShape& s) {
  IndexExpr directions = s.directions;
  return s.batch_first ? Shape{s.batch, directions, s.hidden} : Shape{directions, s.batch, s.hidden};
}

}  // namespace

RecurrentShape recurrent_shape(InferContext& c, int gates) {
  RecurrentShape s;
  s.gates = gates;
  enum Direction { forward, reverse, both };
  const auto direction = choice<Direction>(c, "direction", "forward",
                                           {{"forward", forward}, {"reverse", reverse}, {"bidirectional", both}});
  s.directions = direction == both ? 2 : 1;
  s.first_reversed = direction == reverse;
  s.batch_first = c.opset() >= 14 && c.integer("layout", 0) != 0;
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 3, 3);
  require_rank(c, 1, 3, 3);
  require_rank(c, 2, 3, 3);
  s.steps = c.shape(0)[s.batch_first ? 1 : 0];
  s.bytes = c.node().domain == "com.microsoft";
  s.batch = c.shape(0)[s.batch_first ? 0 : 1], s.input = c.shape(0)[2], s.hidden = c.shape(2)[s.bytes ? 1 : 2];
  if (c.has("hidden_size"))
    require_equal(c, s.hidden, c.integer("hidden_size"), "the columns of the recurrent weights and hidden_size");
  const IndexExpr rows = s.hidden * IndexExpr(gates), directions = s.directions;
  if (s.bytes) check_quantized_weights(c, s);
  require_shape(c, 1, s.bytes ? Shape{directions, s.input, rows} : Shape{directions, rows, s.input});
  const IndexExpr columns = c.shape(1)[s.bytes ? 1 : 2];
  if (columns.is_constant()) s.input = columns;  // which a run may have to find equal
  require_shape(c, 2, s.bytes ? Shape{directions, s.hidden, rows} : Shape{directions, rows, s.hidden});
  require_shape(c, 3, {directions, rows * IndexExpr(2)});
  require_shape(c, 4, {s.batch});
  for (int i : {5, 6}) require_shape(c, i, state_shape(s));
  require_shape(c, 7, {directions, s.hidden * IndexExpr(3)});
  for (int i : {1, 2, 3, 5, 6, 7})
    if (c.has_input(i) && !(s.bytes && i <= 2)) require_same_dtype(c, 0, i);
  if (c.has_input(4)) require_dtype(c, 4, bit(DType::i32));
  return s;
}

void infer_recurrent(InferContext& c, int gates, int states) {
  RecurrentShape s = recurrent_shape(c, gates);
  IndexExpr directions = s.directions;
  Shape sequence{s.steps, directions, s.batch, s.hidden};
  if (s.batch_first) sequence = {s.batch, s.steps, directions, s.hidden};
  c.set_output(0, c.dtype(0), sequence);
  for (int i = 1; i <= states; ++i) c.set_output(i, c.dtype(0), state_shape(s));
}

RecurrentPass::RecurrentPass(LowerContext& c, const RecurrentShape& shape, int direction, IndexExpr step, int states)
    : c(c), shape(shape), direction(direction), type(ir::value_type(c.dtype(0))), step_(step) {
  projections_ = project();
  for (int s = 0; s < states; ++s) this->states.push_back(state(5 + s));
  if (has_lengths()) c.input_buffer(4);
  if (gathers()) sequence_ = c.temporary(type, {shape.steps, shape.batch, shape.hidden});
}

Scalar RecurrentPass::length(IndexExpr b) const { return load_input(c, 4, {b}).cast(DType::i64); }

Scalar RecurrentPass::runs(IndexExpr b) const { return length(b) > index_value(c, step_); }

IndexExpr RecurrentPass::time() const { return shape.reversed(direction) ? shape.steps - 1 - step_ : step_; }

// Sequences of a reversed direction begin at their own last step.
Scalar RecurrentPass::time(IndexExpr b) const {
  Scalar step = index_value(c, step_), end = length(b);
  return select(step < end, end - 1.0 - step, step);
}

ir::BufferId RecurrentPass::project() {
  if (shape.bytes)
    return emit_quantized_product(c, shape, 1, direction, c.shape(0),
                                  [&](const At& at) { return load_input(c, 0, at); });
  const IndexExpr rows = shape.hidden * IndexExpr(shape.gates), d = direction;
  ir::BufferId out = c.temporary(type, {shape.steps, shape.batch, rows});
  ir::LoopNest nest;
  nest.name = "project";
  nest.loops = c.loops({shape.steps, shape.batch, rows});
  nest.reduced = c.loops({shape.input}, "k");
  nest.roles = {AxisRole::rows, AxisRole::rows, AxisRole::columns, AxisRole::k};
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  Scalar x = load_input(c, 0, shape.batch_first ? At{at[1], at[0], k} : At{at[0], at[1], k});
  nest.reductions.push_back({ir::ReduceOp::sum, type, x * load_input(c, 1, {d, at[2], k})});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
  return out;
}

ir::Carried RecurrentPass::state(int input) {
  const Shape dims{shape.batch, shape.hidden};
  ir::Carried carried{c.temporary(type, dims), c.temporary(type, dims), c.temporary(type, dims)};
  const IndexExpr d = direction;
  c.emit_pointwise(
      carried.initial,
      [&](const At& at) -> ir::Expr {
        if (!c.has_input(input)) return number(c, type, 0);
        return load_input(c, input, shape.batch_first ? At{at[0], d, at[1]} : At{d, at[0], at[1]});
      },
      "initial");
  return carried;
}

Scalar RecurrentPass::weight_bias(int gate, IndexExpr h) const {
  if (!c.has_input(3)) return number(c, type, 0);
  return load_input(c, 3, {IndexExpr(direction), shape.hidden * IndexExpr(gate) + h});
}

Scalar RecurrentPass::recurrent_bias(int gate, IndexExpr h) const { return weight_bias(shape.gates + gate, h); }

Scalar RecurrentPass::projected(int gate, IndexExpr b, IndexExpr h) const {
  const IndexExpr column = shape.hidden * IndexExpr(gate) + h;
  Scalar x = gathers() ? load_gathered(c, projections_, {IndexExpr(), b, column}, {{0, time(b)}})
                       : load(c, projections_, {time(), b, column});
  return x + weight_bias(gate, h);
}

ir::BufferId RecurrentPass::recur(ir::BufferId state, int first, int count) {
  if (shape.bytes)
    return emit_quantized_product(c, shape, 2, direction, {shape.batch, shape.hidden},
                                  [&](const At& at) { return value(state, at[0], at[1]); });
  const IndexExpr columns = shape.hidden * IndexExpr(count);
  ir::BufferId out = c.temporary(type, {shape.batch, columns});
  ir::LoopNest nest;
  nest.name = "recur";
  nest.loops = c.loops({shape.batch, columns});
  nest.reduced = c.loops({shape.hidden}, "k");
  nest.roles = {AxisRole::rows, AxisRole::columns, AxisRole::k};
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var, row = shape.hidden * IndexExpr(first) + at[1];
  Scalar product = load(c, state, {at[0], k}) * load_input(c, 2, {IndexExpr(direction), row, k});
  nest.reductions.push_back({ir::ReduceOp::sum, type, product});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
  return out;
}

Scalar RecurrentPass::value(ir::BufferId state, IndexExpr b, IndexExpr h) const { return load(c, state, {b, h}); }

ir::LoopNest RecurrentPass::state_nest(const std::string& name, const ir::Carried& state, const ValueAt& next) {
  ir::LoopNest nest;
  nest.name = name;
  nest.loops = c.loops({shape.batch, shape.hidden});
  const At at = LowerContext::indices(nest.loops);
  Scalar x = next(at[0], at[1]);
  if (has_lengths()) x = select(runs(at[0]), x, value(state.before, at[0], at[1]));
  nest.stores.push_back({state.after, at, x});
  return nest;
}

void RecurrentPass::store_cell(const ValueAt& next) { c.emit(state_nest("cell", states[1], next)); }

void RecurrentPass::store_hidden(const ValueAt& next) {
  ir::LoopNest nest = state_nest("hidden", states[0], next);
  if (c.has_output(0)) add_result(nest);
  c.emit(std::move(nest));
}

std::vector<IndexExpr> RecurrentPass::in_output(IndexExpr time, IndexExpr b, IndexExpr h) const {
  const IndexExpr d = direction;
  return shape.batch_first ? At{b, time, d, h} : At{time, d, b, h};
}

// Y is 0 after the end of a sequence.
void RecurrentPass::add_result(ir::LoopNest& nest) const {
  const At at = LowerContext::indices(nest.loops);
  Scalar y = scalar(c, nest.stores[0].value);
  if (has_lengths()) y = select(runs(at[0]), y, y.number(0));
  if (gathers()) {
    nest.stores.push_back({sequence_, {step_, at[0], at[1]}, y});
  } else {
    nest.stores.push_back({c.output_buffer(0), in_output(time(), at[0], at[1]), y});
  }
}

void RecurrentPass::gather_sequence() {
  ir::LoopNest nest;
  nest.name = "sequence";
  nest.loops = c.loops({shape.steps, shape.batch, shape.hidden});
  const At at = LowerContext::indices(nest.loops);
  Scalar t = index_value(c, at[0]), end = length(at[1]);
  Scalar step = select(t < end, end - 1.0 - t, t);
  Scalar y = load_gathered(c, sequence_, {IndexExpr(), at[1], at[2]}, {{0, step}});
  nest.stores.push_back({c.output_buffer(0), in_output(at[0], at[1], at[2]), y});
  c.emit(std::move(nest));
}

// If no step runs, the state does not change.
void RecurrentPass::store_last(int output, const ir::Carried& state) {
  ir::LoopNest nest;
  nest.name = "last";
  nest.loops = c.loops({shape.batch, shape.hidden});
  const At at = LowerContext::indices(nest.loops);
  Scalar last = value(state.after, at[0], at[1]);
  if (shape.steps.range().lo < 1)
    last = select(index_value(c, shape.steps) > 0.0, last, value(state.initial, at[0], at[1]));
  const IndexExpr d = direction;
  nest.stores.push_back({c.output_buffer(output), shape.batch_first ? At{at[0], d, at[1]} : At{d, at[0], at[1]}, last});
  c.emit(std::move(nest));
}

void RecurrentPass::finish() {
  if (gathers() && c.has_output(0)) gather_sequence();
  for (size_t s = 0; s < states.size(); ++s)
    if (c.has_output(int(s) + 1)) store_last(int(s) + 1, states[s]);
}

}  // namespace cppgen::ops
