// RNN, GRU and LSTM: the equations of one step.
#include "cppgen/ops/families.h"
#include "cppgen/ops/recurrent.h"

namespace cppgen::ops {
namespace {

using State = std::optional<ir::BufferId>;

struct Activation {
  const char* name;
  int parameters;  // of alpha, beta
  double alpha, beta;
  Scalar (*function)(Scalar x, double alpha, double beta);
};

constexpr Activation kActivations[] = {
    {"Sigmoid", 0, 0, 0, [](Scalar x, double, double) { return sigmoid(x); }},
    {"Tanh", 0, 0, 0, [](Scalar x, double, double) { return tanh(x); }},
    {"Relu", 0, 0, 0, [](Scalar x, double, double) { return max(x, 0.0); }},
    {"Softsign", 0, 0, 0, [](Scalar x, double, double) { return x / (1.0 + abs(x)); }},
    {"Softplus", 0, 0, 0, [](Scalar x, double, double) { return max(x, 0.0) + log1p(exp(-abs(x))); }},
    {"LeakyRelu", 1, 0.01, 0, [](Scalar x, double a, double) { return select(x < 0.0, x * a, x); }},
    {"ThresholdedRelu", 1, 1, 0, [](Scalar x, double a, double) { return select(x > a, x, x.number(0)); }},
    {"Elu", 1, 1, 0, [](Scalar x, double a, double) { return select(x < 0.0, a * expm1(x), x); }},
    {"Affine", 2, 1, 0, [](Scalar x, double a, double b) { return a * x + b; }},
    {"ScaledTanh", 2, 1, 1, [](Scalar x, double a, double b) { return a * tanh(b * x); }},
    {"HardSigmoid", 2, 0.2, 0.5, [](Scalar x, double a, double b) { return max(min(a * x + b, 1.0), 0.0); }},
};

std::string lower_case(std::string text) {
  for (char& ch : text) ch = ch >= 'A' && ch <= 'Z' ? char(ch - 'A' + 'a') : ch;
  return text;
}

const Activation* find_activation(const std::string& name) {
  for (const Activation& a : kActivations)
    if (lower_case(a.name) == lower_case(name)) return &a;
  return nullptr;
}

std::vector<float> floats_of(InferContext& c, const char* name) {
  const Attribute* a = c.attribute(name);
  if (!a) return {};
  if (const auto* values = std::get_if<std::vector<float>>(a)) return *values;
  c.fail(fmt::format("attribute '{}' is not a list of floats", name));
}

std::vector<std::string> names_of(InferContext& c, const std::vector<std::string>& defaults, int directions) {
  std::vector<std::string> names;
  for (int d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  const Attribute* a = c.attribute("activations");
  if (!a) return names;
  const auto* given = std::get_if<std::vector<std::string>>(a);
  if (!given || given->size() != names.size())
    c.fail(fmt::format("attribute 'activations' is not {} names", names.size()));
  return *given;
}

}  // namespace

Scalar GateFunction::operator()(Scalar x) const {
  if (clip > 0) x = max(min(x, clip), -clip);
  return find_activation(name)->function(x, alpha, beta);
}

// Alphas and betas are given in order for the activations that take them.
std::vector<GateFunction> gate_functions(InferContext& c, const std::vector<std::string>& defaults, int directions) {
  std::vector<float> alphas = floats_of(c, "activation_alpha"), betas = floats_of(c, "activation_beta");
  const double clip = c.number("clip", 0);
  size_t alpha = 0, beta = 0;
  std::vector<GateFunction> functions;
  for (const std::string& name : names_of(c, defaults, directions)) {
    const Activation* a = find_activation(name);
    if (!a) c.fail(fmt::format("the activation '{}' is not known", name));
    GateFunction f{a->name, a->alpha, a->beta, clip};
    if (a->parameters >= 1 && alpha < alphas.size()) f.alpha = alphas[alpha++];
    if (a->parameters >= 2 && beta < betas.size()) f.beta = betas[beta++];
    functions.push_back(f);
  }
  return functions;
}

namespace {

// Runs `step` over the sequence in every direction; it gets the direction's activations and returns the next state.
struct Cell {
  int gates;
  std::vector<std::string> activations;
};

const Cell kRnn{1, {"Tanh"}}, kGru{3, {"Sigmoid", "Tanh"}}, kLstm{4, {"Sigmoid", "Tanh", "Tanh"}};

std::vector<GateFunction> functions_of(LowerContext& c, const Cell& cell, const RecurrentShape& s, int direction) {
  auto all = gate_functions(c, cell.activations, s.directions);
  const auto n = std::ptrdiff_t(cell.activations.size());
  return {all.begin() + direction * n, all.begin() + (direction + 1) * n};
}

// Gate `gate` of the recurrent products, which begin with gate `first`.
Scalar recurrent(const RecurrentPass& p, State products, int gate, IndexExpr b, IndexExpr h) {
  return p.value(products, b, p.shape.hidden * IndexExpr(gate) + h);
}

template <const Cell& cell, int states>
void infer_cell(InferContext& c) {
  infer_recurrent(c, cell.gates, states);
  gate_functions(c, cell.activations, recurrent_shape(c, cell.gates).directions);
}

// H = f(X W^T + H R^T + Wb + Rb)
void lower_rnn(LowerContext& c) {
  const RecurrentShape shape = recurrent_shape(c, kRnn.gates);
  for (int d = 0; d < shape.directions; ++d) {
    RecurrentPass p(c, shape, d);
    const auto f = functions_of(c, kRnn, shape, d);
    State hidden = p.initial(5);
    std::vector<ir::BufferId> all;
    for (int64_t s = 0; s < shape.steps; ++s) {
      State products = p.recur(hidden, 0, 1);
      hidden = p.store_state(s, hidden, "hidden", [&](IndexExpr b, IndexExpr h) {
        return f[0](p.projected(s, 0, b, h) + recurrent(p, products, 0, b, h) + p.recurrent_bias(0, h));
      });
      all.push_back(*hidden);
    }
    p.store_sequence(all);
    p.store_last(1, hidden);
  }
}

// z, r = f(..), n = g(X W^T + r (H R^T + Rb) + Wb) or g(X W^T + (r H) R^T + Rb + Wb), H = (1 - z) n + z H
State gru_step(RecurrentPass& p, const std::vector<GateFunction>& f, int64_t s, State hidden,
               bool linear_before_reset) {
  State products = p.recur(hidden, 0, linear_before_reset ? 3 : 2), reset_products;
  auto gate = [&](int g, IndexExpr b, IndexExpr h) {
    return f[0](p.projected(s, g, b, h) + recurrent(p, products, g, b, h) + p.recurrent_bias(g, h));
  };
  if (!linear_before_reset && hidden) {
    ir::BufferId reset = p.c.temporary(p.type, {p.shape.batch, p.shape.hidden});
    p.c.emit_pointwise(
        reset, [&](const auto& at) { return gate(1, at[0], at[1]) * p.value(hidden, at[0], at[1]); }, "reset");
    reset_products = p.recur(reset, 2, 1);
  }
  return p.store_state(s, hidden, "hidden", [&](IndexExpr b, IndexExpr h) {
    Scalar past = linear_before_reset ? gate(1, b, h) * (recurrent(p, products, 2, b, h) + p.recurrent_bias(2, h))
                                      : recurrent(p, reset_products, 0, b, h) + p.recurrent_bias(2, h);
    Scalar update = gate(0, b, h), next = f[1](p.projected(s, 2, b, h) + past);
    return (1.0 - update) * next + update * p.value(hidden, b, h);
  });
}

void lower_gru(LowerContext& c) {
  const RecurrentShape shape = recurrent_shape(c, kGru.gates);
  const bool linear_before_reset = c.integer("linear_before_reset", 0) != 0;
  for (int d = 0; d < shape.directions; ++d) {
    RecurrentPass p(c, shape, d);
    const auto f = functions_of(c, kGru, shape, d);
    State hidden = p.initial(5);
    std::vector<ir::BufferId> all;
    for (int64_t s = 0; s < shape.steps; ++s) {
      hidden = gru_step(p, f, s, hidden, linear_before_reset);
      all.push_back(*hidden);
    }
    p.store_sequence(all);
    p.store_last(1, hidden);
  }
}

// Gates in the order i, o, f, c; peepholes P in the order i, o, f:
// C = f(.. + Pf C) C + f(.. + Pi C) g(..), H = f(.. + Po C') h(C') with the new C'
struct LstmState {
  State hidden, cell;
};

LstmState lstm_step(RecurrentPass& p, const std::vector<GateFunction>& f, int64_t s, LstmState before) {
  LowerContext& c = p.c;
  State products = p.recur(before.hidden, 0, 4);
  auto argument = [&](int g, IndexExpr b, IndexExpr h) {
    return p.projected(s, g, b, h) + recurrent(p, products, g, b, h) + p.recurrent_bias(g, h);
  };
  auto peephole = [&](int g, Scalar cell, IndexExpr h) {
    if (!c.has_input(7)) return number(c, p.type, 0);
    return cell * load_input(c, 7, {IndexExpr(p.direction), p.shape.hidden * IndexExpr(g) + h});
  };
  const bool coupled = c.integer("input_forget", 0) != 0;
  LstmState after;
  after.cell = p.store_state(s, before.cell, "cell", [&](IndexExpr b, IndexExpr h) {
    Scalar cell = p.value(before.cell, b, h), input = f[0](argument(0, b, h) + peephole(0, cell, h));
    Scalar forget = coupled ? 1.0 - input : f[0](argument(2, b, h) + peephole(2, cell, h));
    return forget * cell + input * f[1](argument(3, b, h));
  });
  after.hidden = p.store_state(s, before.hidden, "hidden", [&](IndexExpr b, IndexExpr h) {
    Scalar cell = p.value(after.cell, b, h);
    GateFunction unclipped = f[2];
    unclipped.clip = 0;
    return f[0](argument(1, b, h) + peephole(1, cell, h)) * unclipped(cell);
  });
  return after;
}

void lower_lstm(LowerContext& c) {
  const RecurrentShape shape = recurrent_shape(c, kLstm.gates);
  for (int d = 0; d < shape.directions; ++d) {
    RecurrentPass p(c, shape, d);
    const auto f = functions_of(c, kLstm, shape, d);
    LstmState state{p.initial(5), p.initial(6)};
    std::vector<ir::BufferId> all;
    for (int64_t s = 0; s < shape.steps; ++s) {
      state = lstm_step(p, f, s, state);
      all.push_back(*state.hidden);
    }
    p.store_sequence(all);
    p.store_last(1, state.hidden);
    p.store_last(2, state.cell);
  }
}

}  // namespace

void add_recurrent_ops(std::vector<Op>& t) {
  add_versions(t, "RNN", {1, 7, 14, 22}, {3, 6, 2}, infer_cell<kRnn, 1>, lower_rnn);
  add_versions(t, "GRU", {1, 3, 7, 14, 22}, {3, 6, 2}, infer_cell<kGru, 1>, lower_gru);
  add_versions(t, "LSTM", {1, 7, 14, 22}, {3, 8, 3}, infer_cell<kLstm, 2>, lower_lstm);
}

}  // namespace cppgen::ops
