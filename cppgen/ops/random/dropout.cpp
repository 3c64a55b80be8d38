#include <cmath>

#include "cppgen/ops/random/random_numbers.h"
#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {
namespace {

// Returns whether it trains is an attribute until version 6 (`is_test`), never so from 7 on, and input 2 from 12 on;
// the ratio is input 1 from 12 on. Both inputs may be known to a run only.
bool may_train(InferContext& c) {
  if (c.opset() < 7) return c.integer("is_test", 0) == 0;
  if (c.opset() < 12 || !c.has_input(2)) return false;
  const Tensor* training = c.constant(2);
  return !training || integers_of(*training) != std::vector<int64_t>{0};
}

void infer_dropout(InferContext& c) {
  double ratio = c.number("ratio", 0.5f);
  c.integer("seed", 0);
  for (int i = 1; i < c.input_count(); ++i) {
    if (!c.has_input(i)) continue;
    require_dtype(c, i, i == 1 ? kFloats : kBool);
    require_one_element(c, i, i == 1 ? "the ratio" : "training_mode");
  }
  require_dtype(c, 0, may_train(c) || c.opset() < 22 ? kFloats : kFloats | kFloat8);
  if (c.opset() >= 12 && c.has_input(1) && c.constant(1)) ratio = float_element(*c.constant(1), 0);
  if (may_train(c) && !(ratio >= 0 && ratio < 1)) c.fail(fmt::format("the ratio {} is not in [0, 1)", ratio));
  c.set_output(0, c.dtype(0), c.shape(0));
  c.set_output(1, c.opset() < 10 ? c.dtype(0) : DType::boolean, c.shape(0));
}

Scalar ratio_of(LowerContext& c) {
  if (c.opset() >= 12 && c.has_input(1)) return only_element(c, 1);
  return number(c, DType::f32, c.number("ratio", 0.5f));
}

// Training: an element stays with the probability 1 - ratio, and is scaled by its inverse; others become 0.
void lower_training(LowerContext& c) {
  RandomStream random = RandomStream::of_node(c);
  bool always = c.opset() < 12;
  auto stays = [&](const At& at) {
    Scalar ratio = ratio_of(c), drawn = random.uniform(linear_index(c.shape(0), at), ratio.type()) >= ratio;
    return always ? drawn : drawn || !only_element(c, 2);
  };
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar x = load_input(c, 0, at), scaled = x * (1.0 / (1.0 - ratio_of(c).cast(x.type())));
    Scalar kept = select(stays(at), scaled, x.number(0));
    return always ? kept : select(only_element(c, 2), kept, x);
  });
  if (!c.has_output(1)) return;
  DType mask = ir::value_type(c.output(1).dtype);
  c.emit_pointwise(
      c.output_buffer(1), [&](const At& at) { return stays(at).cast(mask); }, "mask");
}

void lower_dropout(LowerContext& c) {
  if (may_train(c)) return lower_training(c);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load_input(c, 0, at); });
  if (!c.has_output(1)) return;
  DType mask = ir::value_type(c.output(1).dtype);
  // Versions before 12 do not define it; ONNX Runtime returns zeros.
  c.emit_pointwise(
      c.output_buffer(1), [&](const At&) { return number(c, mask, c.opset() < 12 ? 0 : 1); }, "mask");
}

}  // namespace

std::vector<Op> dropout_ops() {
  return {
      {.name = "Dropout",
       .versions = {{1, "consumed_inputs:ints is_test:int ratio:float"},
                    {6, "-consumed_inputs"},
                    {7, "-is_test"},
                    10,
                    {12, "seed:int -ratio"},
                    13,
                    22},
       .inputs = {1, 3},
       .outputs = 2,
       .infer = infer_dropout,
       .lower = lower_dropout},
  };
}

}  // namespace cppgen::ops
