// The attention operators as kernels: what their lowering means, one kernel each, and keys that a causal mask hides.
#include "tests/attention/attention_cases.h"

namespace cppgen::property {
namespace {

using Attributes = std::map<std::string, Attribute>;

struct Sizes {
  IndexExpr batch = 1, heads = 2, key_heads = 2, rows = 20, keys = 20;
  int64_t head_size = 8;
};

GraphMaker operator_graph(const Sizes& s, const Attributes& attributes, const char* mask = "") {
  GraphMaker g(24);
  ValueId q = g.input("q", {s.batch, s.heads, s.rows, s.head_size}),
          k = g.input("k", {s.batch, s.key_heads, s.keys, s.head_size}),
          v = g.input("v", {s.batch, s.key_heads, s.keys, s.head_size});
  std::vector<ValueId> inputs{q, k, v};
  if (mask == std::string("bool")) inputs.push_back(g.input("mask", {s.rows, s.keys}, DType::boolean));
  if (mask == std::string("float")) inputs.push_back(g.input("mask", {s.batch, 1, s.rows, s.keys}));
  g.output(g.node("Attention", inputs, attributes));
  return g;
}

const Attributes kCausal{{"is_causal", int64_t{1}}};

TEST(AttentionOperator, FormsAreOneKernel) {
  std::vector<Case> cases;
  for (const Attributes& attributes : {Attributes{}, kCausal, Attributes{{"softcap", 0.5f}, {"scale", 0.2f}}}) {
    cases.push_back(case_of(operator_graph({}, attributes)));
    cases.push_back(case_of(operator_graph({.batch = 2, .heads = 6, .key_heads = 2, .keys = 37}, attributes, "float")));
    cases.push_back(case_of(operator_graph({.heads = 4, .key_heads = 1, .rows = 33}, attributes, "bool")));
  }
  expect_no_failures(cases);
}

TEST(AttentionOperator, GroupsOfHeadsWithOneQueryEach) {
  std::vector<Case> cases;
  cases.push_back(case_of(operator_graph({.heads = 32, .key_heads = 2, .rows = 1, .keys = 70}, {})));
  expect_no_failures(cases);
}

TEST(AttentionOperator, CausalSequences) {
  std::vector<Case> cases;
  for (auto [rows, keys] : {std::pair<int64_t, int64_t>{9, 9}, {33, 33}, {200, 200}, {530, 530}, {530, 1030}, {40, 7}})
    cases.push_back(case_of(operator_graph({.heads = 1, .key_heads = 1, .rows = rows, .keys = keys}, kCausal)));
  for (int64_t n : {1, 31, 260, 600}) {
    GraphMaker names;
    const auto symbolic = [&] {
      GraphMaker g(24);
      const IndexExpr size = g.symbol("N");
      const Shape shape{1, 1, size, 8};
      ValueId q = g.input("q", shape), k = g.input("k", shape), v = g.input("v", shape);
      g.output(g.node("Attention", {q, k, v}, kCausal));
      return g;
    };
    cases.push_back(case_of(symbolic(), n));
  }
  expect_no_failures(cases);
}

TEST(AttentionOperator, ACacheInFront) {
  std::vector<Case> cases;
  for (auto [past, rows] : {std::pair<int64_t, int64_t>{5, 12}, {300, 40}, {700, 33}}) {
    GraphMaker g(24);
    const auto part = [&](const char* name, int64_t length) { return g.input(name, {1, 2, length, 8}); };
    ValueId q = part("q", rows), k = part("k", rows), v = part("v", rows), none = kNoValue, pk = part("pk", past),
            pv = part("pv", past);
    g.output(g.node("Attention", {q, k, v, none, pk, pv}, kCausal));
    cases.push_back(case_of(std::move(g)));
  }
  expect_no_failures(cases);
}

// Rows that see no key are zeros, of many queries and of few.
TEST(AttentionOperator, RowsThatSeeNothing) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 3, 40, 300}) {
    GraphMaker g(24);
    std::vector<int64_t> sees(size_t(rows * 40));
    for (size_t i = 0; i < sees.size(); i++) sees[i] = i / 40 % 3 != 0 && i % 2 == 0;
    ValueId q = g.input("q", {1, 2, rows, 8}), k = g.input("k", {1, 2, 40, 8}), v = g.input("v", {1, 2, 40, 8});
    ValueId flat = g.node("Cast", {g.ints(sees)}, {{"to", int64_t{9}}});
    ValueId mask = g.node("Reshape", {flat, g.ints({rows, 40})});
    g.output(g.node("Attention", {q, k, v, mask}));
    cases.push_back(case_of(std::move(g)));
  }
  cases.push_back(case_of(operator_graph({.rows = 40, .keys = 20}, {{"is_causal", int64_t{1}}}, "bool")));
  expect_no_failures(cases);
}

// Zero times infinity is NaN, so a key that no row sees changes the result if its value is not finite.
TEST(AttentionOperator, HiddenValuesThatAreNotFinite) {
  std::vector<Case> cases;
  for (int64_t n : {40, 600}) {
    GraphMaker g(24);
    const Shape shape{1, 1, n, 8};
    std::vector<double> values(size_t(n * 8), 0.5);
    values[size_t((n - 2) * 8 + 3)] = INFINITY;
    ValueId q = g.input("q", shape), k = g.input("k", shape);
    g.output(g.node("Attention", {q, k, g.floats({1, 1, n, 8}, values)}, kCausal));
    cases.push_back(case_of(std::move(g)));
  }
  expect_no_failures(cases);
}

// GroupQueryAttention with a cache whose use a run says.
GraphMaker grouped_graph(int64_t rows, int64_t past, int64_t total, const Attributes& more, DType type) {
  GraphMaker g;
  g.g.opsets["com.microsoft"] = 1;
  const auto part = [&](const char* name, int64_t heads) { return g.input(name, {2, rows, heads * 16}, type); };
  const auto cache = [&](const char* name) { return g.input(name, {2, 2, past, 16}, type); };
  const auto numbers = [&](std::vector<int64_t> values) {
    return g.node("Cast", {g.ints(std::move(values))}, {{"to", int64_t{6}}});
  };
  const ValueId q = part("q", 6), k = part("k", 2), v = part("v", 2), pk = cache("pk"), pv = cache("pv"),
                cosine = g.input("cos", {64, 8}, type), sine = g.input("sin", {64, 8}, type);
  std::vector<ValueId> outputs;
  for (const char* name : {"result", "present_key", "present_value"}) outputs.push_back(g.g.add_value(name));
  Node& n = g.g.add_node(
      "GroupQueryAttention",
      {q, k, v, pk, pv, numbers({total - 1, std::max(rows, total - 2) - 1}), numbers({total}), cosine, sine}, outputs,
      1);
  n.domain = "com.microsoft";
  n.attributes = more;
  n.attributes["num_heads"] = int64_t{6}, n.attributes["kv_num_heads"] = int64_t{2};
  n.attributes["do_rotary"] = int64_t{1};
  ops::infer_node(g.g, n.id);
  for (ValueId out : outputs) g.output(out);
  return g;
}

TEST(AttentionOperator, GroupedHeadsWithACache) {
  std::vector<Case> cases;
  for (auto [rows, past, total] :
       {std::tuple<int64_t, int64_t, int64_t>{1, 20, 21}, {1, 40, 21}, {18, 40, 18}, {3, 20, 23}})
    for (const Attributes& more : {Attributes{}, Attributes{{"local_window_size", int64_t{7}}, {"softcap", 2.0f}}})
      cases.push_back(case_of(grouped_graph(rows, past, total, more, DType::f32)));
  cases.push_back(case_of(grouped_graph(1, 20, 21, {}, DType::f16), 1, 4e-3));
  expect_no_failures(cases);
}

}  // namespace
}  // namespace cppgen::property
