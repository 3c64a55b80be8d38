#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

// Optimizer steps of ai.onnx.preview.training: inputs rate, step count, then groups of equally many tensors
// (parameters, gradients, states), outputs the new parameters and states.
constexpr const char* kTrainingDomain = "ai.onnx.preview.training";

// Number of tensors in each group; `groups` of them are inputs.
int tensor_count(InferContext& c, int groups, int outputs) {
  int count = (c.input_count() - 2) / groups;
  if (count < 1 || c.input_count() != 2 + count * groups || c.output_count() != count * outputs) {
    c.fail(fmt::format("{} inputs and {} outputs do not form groups", c.input_count(), c.output_count()));
  }
  return count;
}

template <int groups>
void infer_optimizer(InferContext& c) {
  constexpr int outputs = groups - 1;  // all but the gradients
  require_dtype(c, 0, bit(DType::f32) | bit(DType::f64));
  require_dtype(c, 1, bit(DType::i64));
  require_one_element(c, 0, "the rate");
  require_one_element(c, 1, "the count of steps");
  int count = tensor_count(c, groups, outputs);
  for (int k = 0; k < count; ++k) {
    const Shape& x = c.shape(2 + k);
    require_dtype(c, 2 + k, bit(DType::f32) | bit(DType::f64));
    for (int g = 1; g < groups; ++g) {
      require_same_dtype(c, 2 + k, 2 + g * count + k);
      require_rank(c, 2 + g * count + k, int(x.size()), int(x.size()));
      for (size_t d = 0; d < x.size(); ++d)
        require_equal(c, x[d], c.shape(2 + g * count + k)[d], "dimensions of the tensors");
    }
    for (int o = 0; o < outputs; ++o) c.set_output(o * count + k, c.dtype(2 + k), x);
  }
  for (const char* name : {"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post", "decay_factor"}) {
    c.number(name, 0);
  }
}

// Tensor k of group g at an index.
struct OptimizerStep {
  LowerContext& c;
  int count, k;
  Scalar input(int group, const At& at) const { return load_input(c, 2 + group * count + k, at); }
  ir::BufferId output(int group) const { return c.output_buffer(group * count + k); }
  DType type() const { return c.dtype(2 + k); }
  Scalar rate() const { return only_element(c, 0).cast(type()); }
  Scalar time() const { return only_element(c, 1).cast(type()); }
  // The gradient with the regularization term.
  Scalar gradient(const At& at) const { return double(c.number("norm_coefficient", 0)) * input(0, at) + input(1, at); }
};

void lower_adagrad(LowerContext& c) {
  int count = tensor_count(c, 3, 2);
  double decay = c.number("decay_factor", 0), epsilon = c.number("epsilon", 1e-6f);
  for (int k = 0; k < count; ++k) {
    OptimizerStep s{c, count, k};
    auto state = [&](const At& at) {
      Scalar g = s.gradient(at);
      return s.input(2, at) + g * g;
    };
    c.emit_pointwise(s.output(1), state, "state");
    c.emit_pointwise(
        s.output(0),
        [&](const At& at) {
          Scalar rate = s.rate() / (1.0 + s.time() * decay);
          return s.input(0, at) - rate * s.gradient(at) / (sqrt(state(at)) + epsilon);
        },
        "parameters");
  }
}

bool is_nesterov(InferContext& c) {
  return choice<bool>(c, "mode", "standard", {{"standard", false}, {"nesterov", true}});
}

void lower_momentum(LowerContext& c) {
  int count = tensor_count(c, 3, 2);
  double alpha = c.number("alpha", 0), beta = c.number("beta", 0);
  const bool nesterov = is_nesterov(c);
  for (int k = 0; k < count; ++k) {
    OptimizerStep s{c, count, k};
    auto state = [&](const At& at) {
      Scalar adjusted = select(s.time() > 0.0, number(c, s.type(), beta), number(c, s.type(), 1));
      return alpha * s.input(2, at) + adjusted * s.gradient(at);
    };
    c.emit_pointwise(s.output(1), state, "state");
    c.emit_pointwise(
        s.output(0),
        [&](const At& at) {
          Scalar step = nesterov ? s.gradient(at) + alpha * state(at) : state(at);
          return s.input(0, at) - s.rate() * step;
        },
        "parameters");
  }
}

void lower_adam(LowerContext& c) {
  int count = tensor_count(c, 4, 3);
  double alpha = c.number("alpha", 0.9f), beta = c.number("beta", 0.999f), epsilon = c.number("epsilon", 1e-6f);
  double post = c.number("norm_coefficient_post", 0);
  for (int k = 0; k < count; ++k) {
    OptimizerStep s{c, count, k};
    auto mean = [&](const At& at) { return alpha * s.input(2, at) + (1 - alpha) * s.gradient(at); };
    auto square = [&](const At& at) {
      Scalar g = s.gradient(at);
      return beta * s.input(3, at) + (1 - beta) * g * g;
    };
    c.emit_pointwise(s.output(1), mean, "mean");
    c.emit_pointwise(s.output(2), square, "square");
    c.emit_pointwise(
        s.output(0),
        [&](const At& at) {
          Scalar time = s.time();
          Scalar corrected = s.rate() * sqrt(1.0 - pow(beta, time)) / (1.0 - pow(alpha, time));
          Scalar rate = select(time > 0.0, corrected, s.rate());
          return (1 - post) * (s.input(0, at) - rate * mean(at) / (sqrt(square(at)) + epsilon));
        },
        "parameters");
  }
}

void infer_momentum(InferContext& c) {
  is_nesterov(c);
  infer_optimizer<3>(c);
}

}  // namespace

std::vector<Op> training_ops() {
  return {
      {.name = "Adagrad",
       .domain = kTrainingDomain,
       .versions = {{1, "decay_factor:float epsilon:float norm_coefficient:float"}},
       .inputs = {5, kAny},
       .outputs = kAny,
       .infer = infer_optimizer<3>,
       .lower = lower_adagrad},
      {.name = "Momentum",
       .domain = kTrainingDomain,
       .versions = {{1, "alpha:float beta:float mode:string norm_coefficient:float"}},
       .inputs = {5, kAny},
       .outputs = kAny,
       .infer = infer_momentum,
       .lower = lower_momentum},
      {.name = "Adam",
       .domain = kTrainingDomain,
       .versions = {{1, "alpha:float beta:float epsilon:float norm_coefficient:float norm_coefficient_post:float"}},
       .inputs = {6, kAny},
       .outputs = kAny,
       .infer = infer_optimizer<4>,
       .lower = lower_adam},
  };
}

}  // namespace cppgen::ops
