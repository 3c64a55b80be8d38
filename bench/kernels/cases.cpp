#include "bench/kernels/cases.h"

namespace cppgen::bench {
namespace {

constexpr int64_t kMega = 1 << 20;

// 20 nodes: 3 exp, 3 tanh, 3 sigmoid among cheap ones; every value stays of moderate size.
void build_chain(ModelBuilder& m) {
  const Dims dims{4 * kMega};
  std::string x = m.input("x", dims);
  auto scaled = [&](float factor) { x = m.node("Mul", {x, m.number(factor)}); };
  for (int round = 0; round < 3; round++) {
    x = m.node("Tanh", {x});
    x = m.node("Exp", {x});
    scaled(0.5f);
    x = m.node("Sub", {x, m.number(0.75f)});
    x = m.node("Sigmoid", {x});
    x = m.node("Add", {x, m.number(0.25f)});
  }
  scaled(1.5f);
  x = m.node("Relu", {x});
  m.output(x, dims);
}

void build_softmax(ModelBuilder& m) {
  const Dims dims{4096, 1024};
  m.output(m.node("Softmax", {m.input("x", dims)}, {{"axis", {-1}}}), dims);
}

void build_layer_norm(ModelBuilder& m) {
  const Dims dims{4096, 1024};
  std::string sum = m.node("Add", {m.input("x", dims), m.input("residual", dims)});
  std::vector<float> scale(1024), bias(1024);
  for (size_t i = 0; i < scale.size(); i++) scale[i] = 1 + float(i % 7) * 0.1f, bias[i] = float(i % 5) * 0.05f;
  std::string normal =
      m.node("LayerNormalization", {sum, m.numbers({1024}, scale), m.numbers({1024}, bias)}, {{"axis", {-1}}});
  m.output(m.node("Gelu", {normal}), dims);
}

const Dims kReduced{2048, 4096};

void add_reduction(ModelBuilder& m, const std::string& x, const std::string& kind, int axis) {
  const Dims result{kReduced[size_t(1 - axis)]};
  std::string axes = m.ints({axis});
  if (kind == "variance") {
    std::string mean = m.node("ReduceMean", {x, axes});
    std::string centred = m.node("Sub", {x, mean});
    m.output(m.node("ReduceMean", {m.node("Mul", {centred, centred}), axes}, {{"keepdims", {0}}}), result);
  } else {
    m.output(m.node(kind == "sum" ? "ReduceSum" : "ReduceMax", {x, axes}, {{"keepdims", {0}}}), result);
  }
}

Case reduction(const std::string& kind, int axis) {
  std::string over = axis ? "rows" : "columns";
  return {kind + "_" + over,
          kind + " over axis " + std::to_string(axis) + " of [2048, 4096]",
          [=](ModelBuilder& m) { add_reduction(m, m.input("x", kReduced), kind, axis); },
          {}};
}

void build_reductions(ModelBuilder& m) {
  std::string x = m.input("x", kReduced);
  for (int axis : {0, 1})
    for (const char* kind : {"sum", "max", "variance"}) add_reduction(m, x, kind, axis);
}

void add_transposed(ModelBuilder& m, const std::string& x, const std::string& y, const std::vector<int64_t>& perm,
                    const Dims& result) {
  std::string moved = m.node("Transpose", {x}, {{"perm", perm}});
  m.output(m.node("Relu", {m.node("Add", {moved, y})}), result);
}

void build_transposed_matrix(ModelBuilder& m) {
  const Dims dims{2048, 2048};
  add_transposed(m, m.input("x", dims), m.input("y", dims), {1, 0}, dims);
}

void build_odd_matrix(ModelBuilder& m) {
  add_transposed(m, m.input("x", {2001, 2047}), m.input("y", {2047, 2001}), {1, 0}, {2047, 2001});
}

void build_transposed_image(ModelBuilder& m) {
  const Dims last{64, 56, 56, 64}, first{64, 64, 56, 56};
  add_transposed(m, m.input("x", last), m.input("y", first), {0, 3, 1, 2}, first);
}

void build_independent(ModelBuilder& m) {
  const Dims dims{64 * 1024};
  const char* ops[] = {"Relu", "Exp", "Tanh", "Sigmoid", "Abs", "Neg"};
  for (int i = 0; i < 24; i++) m.output(m.node(ops[i % 6], {m.input("x" + std::to_string(i), dims)}), dims);
}

}  // namespace

std::vector<Case> memory_bound_cases() {
  const double mega = kMega, small = 64 * 1024;
  std::vector<Case> cases = {
      {"chain",
       "20 pointwise nodes on 4M floats",
       build_chain,
       {{"tanh", 12 * mega}, {"exp", 12 * mega}, {"sigmoid", 12 * mega}}},
      {"softmax", "softmax of [4096, 1024]", build_softmax, {{"exp", 4 * mega}}},
      {"layer_norm", "residual, LayerNormalization and GELU on [4096, 1024]", build_layer_norm, {{"erf", 4 * mega}}},
      {"reductions", "sum, max and variance over either axis of [2048, 4096], one model", build_reductions, {}},
      {"transposed_matrix", "relu(transpose(x) + y), [2048, 2048]", build_transposed_matrix, {}},
      {"transposed_odd", "relu(transpose(x) + y), x [2001, 2047]", build_odd_matrix, {}},
      {"transposed_image", "relu(transpose(x) + y), x [64, 56, 56, 64] to channels first", build_transposed_image, {}},
      {"independent",
       "24 independent pointwise nodes on 64K floats each",
       build_independent,
       {{"exp", 4 * small}, {"tanh", 4 * small}, {"sigmoid", 4 * small}}},
  };
  for (int axis : {1, 0})
    for (const char* kind : {"sum", "max", "variance"}) cases.push_back(reduction(kind, axis));
  return cases;
}

}  // namespace cppgen::bench
