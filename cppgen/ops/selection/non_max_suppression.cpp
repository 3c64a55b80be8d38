// NonMaxSuppression: one round after the other, in each of which every class of every batch entry takes its best box
// and gives up those that overlap it. Rounds are counted by the declared output; without one, or with more of them than
// are worth nests of their own, the host does the same.
#include <algorithm>

#include "cppgen/ops/declared.h"
#include "cppgen/ops/selection/selection.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

constexpr int64_t kMaxRounds = 16, kMostCandidates = 1024;  // each round adds nests of its own

struct SelectionSizes {
  IndexExpr batch, classes, boxes;
  int64_t selected, rounds;
};

// The host's work, unless a few are declared.
bool is_for_host(InferContext& c) {
  const std::optional<Shape> declared = declared_shape(c, 0);
  if (!declared || declared->size() != 2 || c.shape(1).size() != 3) return true;
  const IndexExpr boxes = c.shape(1)[2], candidates = c.shape(1)[0] * c.shape(1)[1] * boxes;
  if (!candidates.is_constant() || candidates.constant() > kMostCandidates) return true;
  return std::min((*declared)[0].constant() + 1, boxes.constant()) > kMaxRounds;
}

// A class takes at most as many boxes as are declared; one more round shows whether it would take too many.
SelectionSizes selection_sizes(InferContext& c) {
  require_rank(c, 0, 3, 3);
  require_rank(c, 1, 3, 3);
  require_equal(c, c.shape(0)[2], 4, "the last dimension of the boxes and 4");
  SelectionSizes s{c.shape(1)[0], c.shape(1)[1], c.shape(1)[2], 0, 0};
  require_equal(c, c.shape(0)[0], s.batch, "the batch of boxes and scores");
  require_equal(c, c.shape(0)[1], s.boxes, "the number of boxes and scores");
  Shape to = require_declared(c, 1, "the scores");
  if (to.size() != 2) c.fail("the declared output does not have two dimensions");
  require_equal(c, to[1], 3, "the second declared dimension and 3");
  s.selected = to[0].constant();
  s.rounds = std::min(s.selected + 1, constant_dim(c, s.boxes, "the number of boxes"));
  if (s.selected > 0 && s.rounds == 0) c.fail("there are no boxes, but the declared output has rows");
  return s;
}

void infer_non_max_suppression(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_dtype(c, 1, bit(DType::f32));
  if (c.has_input(2)) require_dtype(c, 2, bit(DType::i64));
  for (int i : {3, 4})
    if (c.has_input(i)) require_dtype(c, i, bit(DType::f32));
  const int64_t center = c.integer("center_point_box", 0);
  if (center != 0 && center != 1) c.fail(fmt::format("attribute 'center_point_box' is {}; allowed are 0, 1", center));
  for (int i = 2; i < c.input_count(); ++i)
    if (c.has_input(i) && element_count(c, i) != 1) c.fail(fmt::format("input {} is not a single number", i));
  if (is_for_host(c)) {
    c.run_on_host();
    return c.set_output(0, DType::i64, {c.unknown_dimension(0, 0, "selected"), 3});
  }
  c.set_output(0, DType::i64, {selection_sizes(c).selected, 3});
}

rt::HostStep host_suppression(InferContext& c) {
  return host_call("non_max_suppression", rt::SuppressionCall{c.integer("center_point_box", 0) != 0});
}

struct Box {
  Scalar top, left, bottom, right;
  Scalar area() const { return (bottom - top) * (right - left); }
};

Box box_of(LowerContext& c, const std::function<Scalar(int64_t)>& coordinate) {
  Scalar a = coordinate(0), b = coordinate(1), d = coordinate(2), e = coordinate(3);
  if (c.integer("center_point_box", 0) != 0)  // x, y, width, height
    return {b - e / 2.0, a - d / 2.0, b + e / 2.0, a + d / 2.0};
  return {min(a, d), min(b, e), max(a, d), max(b, e)};
}

Scalar overlaps(const Box& a, const Box& b, Scalar threshold) {
  Scalar height = max(min(a.bottom, b.bottom) - max(a.top, b.top), 0.0);
  Scalar width = max(min(a.right, b.right) - max(a.left, b.left), 0.0);
  Scalar common = height * width, all = a.area() + b.area() - common;
  return a.area() > 0.0 && b.area() > 0.0 && common / all > threshold;
}

class Rounds {
 public:
  Rounds(LowerContext& c, const SelectionSizes& s) : c_(c), s_(s) {
    const Shape taken{s.batch, s.classes, s.rounds};
    picks = c.temporary(DType::i64, taken), valid = c.temporary(DType::boolean, taken);
  }

  ir::BufferId picks, valid;  // [batch, classes, rounds]

  void run() {
    ir::BufferId alive = candidates();
    for (int64_t t = 0; t < s_.rounds; ++t) {
      Round round = pick(alive, t);
      if (t + 1 < s_.rounds) alive = suppress(alive, round);
      stack(round.pick, picks, t);
      stack(round.valid, valid, t);
    }
  }

 private:
  struct Round {
    ir::BufferId pick, valid;  // [batch, classes]
  };

  LowerContext& c_;
  const SelectionSizes& s_;

  Shape shape() const { return {s_.batch, s_.classes, s_.boxes}; }

  Scalar threshold(int input) const {
    if (!c_.has_input(input)) return number(c_, DType::f32, 0);
    return load_input(c_, input, At(c_.shape(input).size()));
  }

  ir::BufferId candidates() const {
    ir::BufferId out = c_.temporary(DType::boolean, shape());
    c_.emit_pointwise(
        out,
        [&](const At& at) {
          if (!c_.has_input(4)) return scalar(c_, c_.exprs().constant_int(DType::boolean, 1));
          return load_input(c_, 1, at) > threshold(4);
        },
        "candidates");
    return out;
  }

  Round pick(ir::BufferId alive, int64_t t) const {
    const Shape each{s_.batch, s_.classes};
    const Round round{c_.temporary(DType::i64, each), c_.temporary(DType::boolean, each)};
    ir::LoopNest nest;
    nest.name = "pick";
    nest.loops = c_.loops({s_.batch, s_.classes});
    nest.reduced = c_.loops({s_.boxes}, "r");
    At at = LowerContext::indices(nest.loops), from = at;
    from.push_back(nest.reduced[0].var);
    Scalar lives = load(c_, alive, from);
    ir::Reduction best{ReduceOp::argmax, DType::i64, select(lives, load_input(c_, 1, from), lowest(c_, DType::f32))};
    best.position = nest.reduced[0].var;
    nest.reductions = {best, {ReduceOp::any, DType::boolean, lives}};
    Scalar limit = c_.has_input(2) ? integer_element(c_, 2, 0) : number(c_, DType::i64, 0);
    Scalar found = scalar(c_, c_.exprs().accumulator(1, DType::boolean)) && limit > double(t);
    nest.stores.push_back({round.pick, at, c_.exprs().accumulator(0, DType::i64)});
    nest.stores.push_back({round.valid, at, found});
    c_.emit(std::move(nest));
    return round;
  }

  void stack(ir::BufferId one, ir::BufferId all, int64_t t) const {
    ir::LoopNest nest;
    nest.name = "stack";
    nest.loops = c_.loops({s_.batch, s_.classes});
    const At at = LowerContext::indices(nest.loops);
    nest.stores.push_back({all, {at[0], at[1], t}, load(c_, one, at)});
    c_.emit(std::move(nest));
  }

  ir::BufferId suppress(ir::BufferId alive, const Round& round) const {
    ir::BufferId out = c_.temporary(DType::boolean, shape());
    c_.emit_pointwise(
        out,
        [&](const At& at) {
          Scalar taken = load(c_, round.pick, {at[0], at[1]});
          Box own = box_of(c_, [&](int64_t k) { return load_input(c_, 0, {at[0], at[2], k}); });
          Box best = box_of(c_, [&](int64_t k) {
            return load_gathered(c_, c_.input_buffer(0), {at[0], IndexExpr(), k}, {{1, taken}});
          });
          return load(c_, alive, at) && index_value(c_, at[2]) != taken && !overlaps(best, own, threshold(3));
        },
        "suppress");
    return out;
  }
};

// Rows (batch, class, box) in the order of batches, classes and rounds.
void emit_rows(LowerContext& c, const SelectionSizes& s, const Rounds& rounds) {
  const IndexExpr count = s.rounds, per_batch = s.classes * count;
  auto found = emit_true_positions(c, s.batch * per_batch, s.selected, [&](IndexExpr i) {
    return load(c, rounds.valid, {floordiv(i, per_batch), mod(floordiv(i, count), s.classes), mod(i, count)});
  });
  ir::LoopNest nest;
  nest.name = "rows";
  nest.loops = c.loops({s.selected});
  const IndexExpr k = nest.loops[0].var;
  Scalar at = load(c, found.positions, {k}), round = index_value(c, count), classes = index_value(c, s.classes);
  auto modulo = [](Scalar a, Scalar b) { return a.binary(ir::BinaryOp::mod_floor, b); };
  Scalar batch = at / (round * classes), cls = modulo(at / round, classes);
  Scalar box = load_gathered(c, rounds.picks, At(3), {{0, batch}, {1, cls}, {2, modulo(at, round)}});
  const std::vector<Scalar> conditions = {found.total == double(s.selected)};
  int64_t column = 0;
  for (const Scalar& x : {batch, cls, box})
    nest.stores.push_back({c.output_buffer(0), {k, column++}, checked(c, x, conditions)});
  c.emit(std::move(nest));
}

void lower_non_max_suppression(LowerContext& c) {
  const SelectionSizes s = selection_sizes(c);
  if (s.selected == 0 || s.rounds == 0) return;
  Rounds rounds(c, s);
  rounds.run();
  emit_rows(c, s, rounds);
}

}  // namespace

std::vector<Op> suppression_ops() {
  return {
      {.name = "NonMaxSuppression",
       .versions = {{10, "center_point_box:int"}, 11},
       .inputs = {2, 5},
       .infer = infer_non_max_suppression,
       .lower = lower_non_max_suppression,
       .host = host_suppression},
  };
}

}  // namespace cppgen::ops
