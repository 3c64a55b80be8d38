#include "cppgen/ops/choice.h"
#include "cppgen/ops/normalization/softmax.h"

namespace cppgen::ops {
namespace {

// Input [N, C, d..], target [N, d..], weights [C].
using ir::ReduceOp;

enum class Losses : uint8_t { mean, sum, none };  // what becomes of them

Losses reduction_of(InferContext& c) {
  using enum Losses;
  return choice<Losses>(c, "reduction", "mean", {{"mean", mean}, {"sum", sum}, {"none", none}});
}

void infer_loss(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_dtype(c, 1, bit(DType::i32) | bit(DType::i64));
  require_rank(c, 0, 2, -1);
  const Shape& x = c.shape(0);
  int rank = int(x.size());
  require_rank(c, 1, rank - 1, rank - 1);
  for (int d = 0; d < rank - 1; ++d)
    require_equal(c, x[d == 0 ? 0 : d + 1], c.shape(1)[d], "dimensions of input and target");
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_rank(c, 2, 1, 1);
    require_equal(c, c.shape(2)[0], x[1], "weights and classes");
  }
  c.integer("ignore_index", 0);
  c.set_output(0, c.dtype(0), reduction_of(c) == Losses::none ? c.shape(1) : Shape());
  c.set_output(1, c.dtype(0), x);
}

// The target of a position, and whether it counts.
struct Target {
  Scalar label, counts;
};

Target target_at(LowerContext& c, const At& at) {
  Scalar label = load_input(c, 1, at).cast(DType::i64);
  if (!c.has("ignore_index")) return {label, number(c, DType::boolean, 1)};
  Scalar counts = label != index_value(c, c.integer("ignore_index"));
  return {select(counts, label, label.number(0)), counts};
}

Scalar class_weight_at(LowerContext& c, const Target& t, DType type) {
  Scalar weight = c.has_input(2) ? load_gathered(c, c.input_buffer(2), {0}, {{0, t.label}}) : number(c, type, 1);
  return select(t.counts, weight, number(c, type, 0));
}

Scalar loss_at(LowerContext& c, ir::BufferId log_probability, const At& at, DType type) {
  Target t = target_at(c, at);
  At from = at;
  from.insert(from.begin() + 1, IndexExpr());
  return -load_gathered(c, log_probability, from, {{1, t.label}}) * class_weight_at(c, t, type);
}

void emit_loss(LowerContext& c, ir::BufferId log_probability) {
  DType type = ir::value_type(c.dtype(0));
  const Losses reduction = reduction_of(c);
  if (reduction == Losses::none) {
    return c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return loss_at(c, log_probability, at, type); });
  }
  auto total = [&](const char* name, ir::BufferId out, auto value) {
    emit_reduction(c,
                   {name, out, c.shape(1), ReduceOp::sum, [&](const At&, const At& at) { return value(at); }, nullptr});
  };
  bool mean = reduction == Losses::mean;
  ir::BufferId sum = mean ? c.temporary(type, {}) : c.output_buffer(0);
  total("sum", sum, [&](const At& at) { return loss_at(c, log_probability, at, type); });
  if (!mean) return;
  ir::BufferId weights = c.temporary(type, {});
  total("weights", weights, [&](const At& at) { return class_weight_at(c, target_at(c, at), type); });
  c.emit_pointwise(
      c.output_buffer(0), [&](const At&) { return load(c, sum, {}) / load(c, weights, {}); }, "mean");
}

void lower_negative_log_likelihood(LowerContext& c) { emit_loss(c, c.input_buffer(0)); }

void lower_cross_entropy(LowerContext& c) {
  const Shape& x = c.shape(0);
  ir::BufferId log_probability = c.has_output(1) ? c.output_buffer(1) : c.temporary(ir::value_type(c.dtype(0)), x);
  emit_log_softmax(c, AxisSplit(x, {1}), c.input_buffer(0), log_probability);
  emit_loss(c, log_probability);
}

}  // namespace

std::vector<Op> loss_ops() {
  return {
      {.name = "NegativeLogLikelihoodLoss",
       .versions = {{12, "ignore_index:int reduction:string"}, 13, 22},
       .inputs = {2, 3},
       .infer = infer_loss,
       .lower = lower_negative_log_likelihood},
      {.name = "SoftmaxCrossEntropyLoss",
       .versions = {{12, "ignore_index:int reduction:string"}, 13},
       .inputs = {2, 3},
       .outputs = 2,
       .infer = infer_loss,
       .lower = lower_cross_entropy},
  };
}

}  // namespace cppgen::ops
