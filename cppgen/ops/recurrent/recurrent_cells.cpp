// RNN, GRU and LSTM: the equations of one step.
#include "cppgen/ops/recurrent/recurrent.h"

namespace cppgen::ops {
namespace {

// Exporters write names in any case.
const Activation& gate_activation(InferContext& c, const std::string& name) {
  if (const Activation* a = find_activation(name, Activation::gate)) return *a;
  c.fail_invalid(fmt::format("the activation '{}' is unknown; there are {}", name, activation_names(Activation::gate)));
}

std::vector<float> floats_of(InferContext& c, const char* name) {
  const Attribute* a = c.attribute(name);
  if (!a) return {};
  if (const auto* values = std::get_if<std::vector<float>>(a)) return *values;
  c.fail_invalid(fmt::format("attribute '{}' is not a list of floats", name));
}

std::vector<std::string> names_of(InferContext& c, const std::vector<std::string>& defaults, int directions) {
  std::vector<std::string> names;
  for (int d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  const Attribute* a = c.attribute("activations");
  if (!a) return names;
  const auto* given = std::get_if<std::vector<std::string>>(a);
  if (!given || given->size() != names.size())
    c.fail_invalid(fmt::format("attribute 'activations' does not have {} names", names.size()));
  return *given;
}

}  // namespace

Scalar GateFunction::operator()(Scalar x) const {
  if (clip > 0) x = max(min(x, clip), -clip);
  return activation->function(x, alpha, beta);
}

// Alphas and betas are given in order for the activations that take them.
std::vector<GateFunction> gate_functions(InferContext& c, const std::vector<std::string>& defaults, int directions) {
  std::vector<float> alphas = floats_of(c, "activation_alpha"), betas = floats_of(c, "activation_beta");
  const double clip = c.number("clip", 0);
  size_t alpha = 0, beta = 0;
  std::vector<GateFunction> functions;
  for (const std::string& name : names_of(c, defaults, directions)) {
    const Activation& a = gate_activation(c, name);
    GateFunction f{&a, a.parameters[0].fallback, a.parameters[1].fallback, clip};
    if (a.parameter_count() >= 1 && alpha < alphas.size()) f.alpha = alphas[alpha++];
    if (a.parameter_count() >= 2 && beta < betas.size()) f.beta = betas[beta++];
    functions.push_back(f);
  }
  return functions;
}

namespace {

// `step` adds what one step of a direction computes, with the direction's activations.
struct RecurrentCell {
  int gates, states;
  std::vector<std::string> activations;
  void (*step)(RecurrentPass&, const std::vector<GateFunction>&);
};

// Gate `gate` of the recurrent products, which begin with gate `first`.
Scalar recurrent(const RecurrentPass& p, ir::BufferId products, int gate, IndexExpr b, IndexExpr h) {
  return p.value(products, b, p.shape.hidden * IndexExpr(gate) + h);
}

// H = f(X W^T + H R^T + Wb + Rb)
void rnn_step(RecurrentPass& p, const std::vector<GateFunction>& f) {
  const ir::BufferId products = p.recur(p.states[0].before, 0, 1);
  p.store_hidden([&](IndexExpr b, IndexExpr h) {
    return f[0](p.projected(0, b, h) + recurrent(p, products, 0, b, h) + p.recurrent_bias(0, h));
  });
}

// z, r = f(..), n = g(X W^T + r (H R^T + Rb) + Wb) or g(X W^T + (r H) R^T + Rb + Wb), H = (1 - z) n + z H
void gru_step(RecurrentPass& p, const std::vector<GateFunction>& f) {
  const bool linear_before_reset = p.c.integer("linear_before_reset", 0) != 0;
  const ir::BufferId hidden = p.states[0].before, products = p.recur(hidden, 0, linear_before_reset ? 3 : 2);
  ir::BufferId reset_products = -1;
  auto gate = [&](int g, IndexExpr b, IndexExpr h) {
    return f[0](p.projected(g, b, h) + recurrent(p, products, g, b, h) + p.recurrent_bias(g, h));
  };
  if (!linear_before_reset) {
    ir::BufferId reset = p.c.temporary(p.type, {p.shape.batch, p.shape.hidden});
    p.c.emit_pointwise(
        reset, [&](const auto& at) { return gate(1, at[0], at[1]) * p.value(hidden, at[0], at[1]); }, "reset");
    reset_products = p.recur(reset, 2, 1);
  }
  p.store_hidden([&](IndexExpr b, IndexExpr h) {
    Scalar past = linear_before_reset ? gate(1, b, h) * (recurrent(p, products, 2, b, h) + p.recurrent_bias(2, h))
                                      : recurrent(p, reset_products, 0, b, h) + p.recurrent_bias(2, h);
    Scalar update = gate(0, b, h), next = f[1](p.projected(2, b, h) + past);
    return (1.0 - update) * next + update * p.value(hidden, b, h);
  });
}

// Gates in the order i, o, f, c; peepholes P in the order i, o, f:
// C = f(.. + Pf C) C + f(.. + Pi C) g(..), H = f(.. + Po C') h(C') with the new C'
void lstm_step(RecurrentPass& p, const std::vector<GateFunction>& f) {
  LowerContext& c = p.c;
  const ir::BufferId before = p.states[1].before, after = p.states[1].after;
  const ir::BufferId products = p.recur(p.states[0].before, 0, 4);
  auto argument = [&](int g, IndexExpr b, IndexExpr h) {
    return p.projected(g, b, h) + recurrent(p, products, g, b, h) + p.recurrent_bias(g, h);
  };
  auto peephole = [&](int g, Scalar cell, IndexExpr h) {
    if (!c.has_input(7)) return number(c, p.type, 0);
    return cell * load_input(c, 7, {IndexExpr(p.direction), p.shape.hidden * IndexExpr(g) + h});
  };
  const bool coupled = c.integer("input_forget", 0) != 0;
  p.store_cell([&](IndexExpr b, IndexExpr h) {
    Scalar cell = p.value(before, b, h), input = f[0](argument(0, b, h) + peephole(0, cell, h));
    Scalar forget = coupled ? 1.0 - input : f[0](argument(2, b, h) + peephole(2, cell, h));
    return forget * cell + input * f[1](argument(3, b, h));
  });
  p.store_hidden([&](IndexExpr b, IndexExpr h) {
    Scalar cell = p.value(after, b, h);
    GateFunction unclipped = f[2];
    unclipped.clip = 0;
    return f[0](argument(1, b, h) + peephole(1, cell, h)) * unclipped(cell);
  });
}

const RecurrentCell kRnn{1, 1, {"Tanh"}, rnn_step}, kGru{3, 1, {"Sigmoid", "Tanh"}, gru_step},
    kLstm{4, 2, {"Sigmoid", "Tanh", "Tanh"}, lstm_step};

template <const RecurrentCell& cell>
void infer_cell(InferContext& c) {
  infer_recurrent(c, cell.gates, cell.states);
  gate_functions(c, cell.activations, recurrent_shape(c, cell.gates).directions);
}

// Both directions take their steps at the same time.
template <const RecurrentCell& cell>
void lower_cell(LowerContext& c) {
  const RecurrentShape shape = recurrent_shape(c, cell.gates);
  const auto functions = gate_functions(c, cell.activations, shape.directions);
  ir::Repetition repetition;
  repetition.step = c.index().step_symbol(shape.steps), repetition.steps = shape.steps;
  std::vector<RecurrentPass> passes;
  for (int d = 0; d < shape.directions; ++d) {
    const auto& pass = passes.emplace_back(c, shape, d, repetition.step, cell.states);
    repetition.carried.insert(repetition.carried.end(), pass.states.begin(), pass.states.end());
  }
  c.repeat(std::move(repetition), [&] {
    for (RecurrentPass& pass : passes) {
      const auto first = functions.begin() + pass.direction * std::ptrdiff_t(cell.activations.size());
      cell.step(pass, {first, first + std::ptrdiff_t(cell.activations.size())});
    }
  });
  for (RecurrentPass& pass : passes) pass.finish();
}

}  // namespace

std::vector<Op> recurrent_ops() {
  return {
      {.name = "RNN",
       .versions = {{1,
                     "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string "
                     "hidden_size:int output_sequence:int"},
                    {7, "-output_sequence"},
                    {14, "layout:int"},
                    22},
       .inputs = {3, 6},
       .outputs = 2,
       .infer = infer_cell<kRnn>,
       .lower = lower_cell<kRnn>},
      {.name = "GRU",
       .versions = {{1,
                     "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string "
                     "hidden_size:int output_sequence:int"},
                    {3, "linear_before_reset:int"},
                    {7, "-output_sequence"},
                    {14, "layout:int"},
                    22},
       .inputs = {3, 6},
       .outputs = 2,
       .infer = infer_cell<kGru>,
       .lower = lower_cell<kGru>},
      {.name = "LSTM",
       .versions = {{1,
                     "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string "
                     "hidden_size:int input_forget:int output_sequence:int"},
                    {7, "-output_sequence"},
                    {14, "layout:int"},
                    22},
       .inputs = {3, 8},
       .outputs = 3,
       .infer = infer_cell<kLstm>,
       .lower = lower_cell<kLstm>},
      {.name = "DynamicQuantizeLSTM",
       .domain = "com.microsoft",
       .versions = {{1,
                     "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string "
                     "hidden_size:int input_forget:int"}},
       .inputs = {3, 12},
       .outputs = 3,
       .infer = infer_cell<kLstm>,
       .lower = lower_cell<kLstm>},
  };
}

}  // namespace cppgen::ops
