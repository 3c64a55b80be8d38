// Attention as one kernel for every instruction set, compared with the interpreter: shapes around tiles, panels and
// blocks of keys, masks, layouts of the operands, symbolic sizes.
#include "tests/attention/attention_cases.h"

namespace cppgen::property {
namespace {

TEST(AttentionMeaning, SequencesAroundTilesAndPanels) {
  std::vector<Case> cases;
  for (int64_t n : {9, 15, 16, 17, 33, 128}) {
    cases.push_back(case_of({.shape = {.rows = n, .keys = n}}));
    cases.push_back(case_of({.shape = {.rows = n, .keys = 2}, .mask = Mask::additive}));
    cases.push_back(case_of({.shape = {.rows = n, .keys = 7}, .mask = Mask::boolean}));
  }
  expect_no_failures(cases);
}

// Few queries are taken row by row: keys and features are the lanes.
TEST(AttentionMeaning, FewQueries) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 2, 8})
    for (int64_t keys : {2, 33, 600})
      cases.push_back(
          case_of({.shape = {.rows = rows, .keys = keys}, .mask = rows == 2 ? Mask::boolean : Mask::additive}));
  cases.push_back(case_of({.shape = {.batch = 2, .heads = 6, .key_heads = 1, .rows = 1, .keys = 17}}));
  for (int64_t d : {1, 64, 65, 130}) {
    cases.push_back(case_of({.shape = {.rows = 3, .keys = 21, .head_size = d, .columns = d}}));
    cases.push_back(
        case_of({.shape = {.rows = 2, .keys = 37, .head_size = d, .columns = 131 - d}, .heads_inside = true}));
    cases.push_back(case_of({.shape = {.rows = 2, .keys = 37, .head_size = d, .columns = d}, .keys_transposed = true}));
  }
  cases.push_back(case_of({.shape = {.rows = 5, .keys = 600}, .mask = Mask::all_hidden}));
  expect_no_failures(cases);
}

TEST(AttentionMeaning, NarrowTypes) {
  std::vector<Case> cases;
  for (DType type : {DType::f16, DType::bf16})
    for (int64_t rows : {1, 20})
      for (bool other : {false, true})
        cases.push_back(case_of({.shape = {.heads = 4,  // some CPUs run many queries in bfloat16 product by product
                                           .key_heads = other && type == DType::f16 ? 4 : 2,
                                           .rows = rows,
                                           .keys = rows == 1 ? 37 : 600,
                                           .head_size = 24,
                                           .columns = 17},
                                 .mask = other ? Mask::additive : Mask::none,
                                 .keys_transposed = other && type == DType::f16,
                                 .heads_inside = !other,
                                 .type = type}));
  expect_no_failures(cases);
}

// Grouped heads as models spell them, with sizes that only a run knows: keys and values are never repeated in memory.
TEST(AttentionMeaning, RepeatedHeads) {
  std::vector<Case> cases;
  for (int64_t n : {1, 5, 33})
    for (bool inside : {false, true}) {
      GraphMaker g;
      const IndexExpr size = g.symbol("N");
      g.output(attention(
          g, {.shape = {.batch = 2, .heads = 6, .key_heads = 2, .rows = size, .keys = size}, .heads_inside = inside}));
      cases.push_back(case_of(std::move(g), n));
    }
  for (const Case& c : cases) EXPECT_EQ(schedule_of(c, *isas_to_test().back()).steps.size(), 1u);
  expect_no_failures(cases);
}

TEST(AttentionMeaning, OneKey) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 8, 20}) cases.push_back(case_of({.shape = {.rows = rows, .keys = 1}}));
  expect_no_failures(cases, false);  // the softmax of one score is no attention
}

TEST(AttentionMeaning, Heads) {
  std::vector<Case> cases;
  for (int64_t d : {1, 8, 40, 64, 65}) {
    cases.push_back(case_of({.shape = {.rows = 19, .keys = 21, .head_size = d, .columns = d}}));
    cases.push_back(
        case_of({.shape = {.rows = 19, .keys = 21, .head_size = d, .columns = 66 - d}, .heads_inside = true}));
  }
  cases.push_back(case_of({.shape = {.batch = 2, .heads = 6, .key_heads = 2, .rows = 9, .keys = 17}}));
  expect_no_failures(cases);
}

TEST(AttentionMeaning, BlocksOfKeys) {
  std::vector<Case> cases;
  for (int64_t keys : {512, 513, 756, 1000}) {
    cases.push_back(case_of({.shape = {.heads = 1, .key_heads = 1, .rows = 17, .keys = keys}}));
    cases.push_back(case_of({.shape = {.heads = 1, .key_heads = 1, .rows = 17, .keys = keys}, .mask = Mask::additive}));
  }
  expect_no_failures(cases);
}

TEST(AttentionMeaning, Forms) {
  std::vector<Case> cases;
  for (Mask mask : {Mask::none, Mask::additive, Mask::keys, Mask::boolean})
    for (bool inside : {false, true})
      for (bool first : {false, true})
        cases.push_back(case_of({.shape = {.batch = 2, .rows = 18, .keys = 37, .head_size = 16, .columns = 24},
                                 .mask = mask,
                                 .keys_transposed = !inside && first,
                                 .heads_inside = inside,
                                 .scale_first = first,
                                 .cap = !first}));
  expect_no_failures(cases);
}

// Constant masks: blocks that they hide are left out, unless that shows.
GraphMaker constant_mask(int64_t n, double fill, bool hides, double first_value = 0) {
  GraphMaker g;
  std::vector<double> mask, values(size_t(n * 8), 0.25);
  for (int64_t i = 0; i < n * n; i++) mask.push_back((i % n <= i / n + 2) != hides);
  values.back() += first_value;
  const ValueId q = g.input("q", {2, n, 8}), k = g.input("k", {2, 8, n}), there = g.floats({n, n}, mask, DType::f32);
  const ValueId scores = g.node("MatMul", {q, k}), constant = g.floats({}, {fill});
  const ValueId seen = g.node("Cast", {there}, {{"to", int64_t{9}}});
  const ValueId masked = hides ? g.node("Where", {seen, constant, scores}) : g.node("Where", {seen, scores, constant});
  const ValueId weights = g.node("Softmax", {masked}, {{"axis", int64_t{-1}}});
  g.output(g.node("MatMul", {weights, g.floats({n, 8}, values)}));
  return g;
}

TEST(AttentionMeaning, ConstantMasks) {
  std::vector<Case> cases;
  for (int64_t n : {40, 600})
    for (double fill : {double(-INFINITY), -1e4, -3.4028234663852886e38, -0.5})
      cases.push_back(case_of(constant_mask(n, fill, n == 40)));
  cases.push_back(case_of(constant_mask(600, -INFINITY, false, INFINITY)));
  expect_no_failures(cases);
}

// A row that sees no key is NaN; one that sees none of the first block of keys is not.
TEST(AttentionMeaning, HiddenKeys) {
  std::vector<Case> cases;
  for (int64_t keys : {6, 40, 600, 1000})
    cases.push_back(case_of({.shape = {.rows = 20, .keys = keys}, .mask = Mask::all_hidden}));
  expect_no_failures(cases);
}

// The result of one attention is the scores of the next.
TEST(AttentionMeaning, Chains) {
  std::vector<Case> cases;
  for (int64_t n : {16, 40})
    for (bool activated : {false, true}) {
      GraphMaker g;
      ValueId scores = g.node("MatMul", {g.input("q", {n, 8}), g.input("k", {8, n})});
      for (const char* name : {"v", "w", "u"}) {
        const ValueId weights = g.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
        scores = g.node("MatMul", {weights, g.input(name, {n, n})});
        if (activated) scores = g.node("Relu", {scores});
      }
      g.output(scores);
      cases.push_back(case_of(std::move(g)));
    }
  expect_no_failures(cases);
}

TEST(AttentionMeaning, SymbolicSizes) {
  std::vector<Case> cases;
  for (int64_t n : {1, 2, 15, 33, 300, 513}) {
    const auto on_symbols = [&](Mask mask) {
      GraphMaker g;
      const IndexExpr size = g.symbol("N");
      g.output(attention(g, {.shape = {.batch = 1, .rows = size, .keys = size}, .mask = mask}));
      return case_of(std::move(g), n);
    };
    cases.push_back(on_symbols(Mask::none));
    cases.push_back(on_symbols(Mask::additive));
  }
  expect_no_failures(cases);
}

}  // namespace
}  // namespace cppgen::property
