// Sizes with which plans can run.
#include "runtime/plan/sample_sizes.h"

#include <gtest/gtest.h>

#include "runtime/plan/size_conditions.h"

namespace cppgen::rt {
namespace {

using enum DimOp;

// A postfix expression: numbers are constants, the others symbols or operations.
struct Code {
  std::vector<int64_t> code;
  Code(int64_t number) : code{int64_t(constant), number} {}
  static Code of(int64_t s) {
    Code c(0);
    c.code = {int64_t(symbol), s};
    return c;
  }
};
Code join(DimOp op, Code a, const Code& b) {
  a.code.insert(a.code.end(), b.code.begin(), b.code.end());
  a.code.push_back(int64_t(op));
  return a;
}
Code operator+(const Code& a, const Code& b) { return join(add, a, b); }
Code operator*(const Code& a, const Code& b) { return join(mul, a, b); }
Code operator/(const Code& a, const Code& b) { return join(floordiv, a, b); }
Code operator%(const Code& a, const Code& b) { return join(mod, a, b); }

const Code H = Code::of(0), W = Code::of(1), S = Code::of(2);

Plan plan_of(const std::vector<std::pair<Code, Code>>& bounds,
             const std::vector<std::string>& names = {"H", "W", "S"}) {
  Plan plan;
  for (const std::string& name : names) plan.symbols.push_back({name, 0, 0});
  for (const auto& [least, most] : bounds) plan.bounds.push_back({{least.code}, {most.code}, ""});
  return plan;
}

using Sizes = std::vector<int64_t>;

// The sizes of the plan's symbols; empty if none are found.
Sizes sizes_of(const Plan& plan, const NamedSizes& given = {}) {
  const Plan* const plans[] = {&plan};
  const SampleSizes sample = sample_sizes(plans, given, kSmallSizesFirst);
  Sizes sizes;
  for (const Symbol& s : plan.symbols)
    if (sample.fit) sizes.push_back(sample.sizes.at(s.name));
  for (const SizeCondition& c : size_conditions(plans).all) EXPECT_TRUE(!sample.fit || violation(c, sizes) == 0);
  return sizes;
}

TEST(SampleSizes, AreTheFirstThatAllCanHave) {
  EXPECT_EQ(sizes_of(plan_of({})), (Sizes{1, 1, 1}));
  EXPECT_EQ(sizes_of(plan_of({{5, H}})), (Sizes{8, 1, 1}));
  EXPECT_EQ(sizes_of(plan_of({{187, H}, {187, W}})), (Sizes{224, 224, 1}));
  EXPECT_EQ(sizes_of(plan_of({{11, H}, {H, W}, {W, H}})), (Sizes{16, 16, 1}));
}

TEST(SampleSizes, AreSearchedForIfTheyMustDiffer) {
  EXPECT_FALSE(sizes_of(plan_of({{H, 4}, {100, W}})).empty());
  EXPECT_FALSE(sizes_of(plan_of({{41, H}, {H, 43}, {H % 7, 0}})).empty());  // 42
  EXPECT_FALSE(sizes_of(plan_of({{H, 7 * (H / 7)}, {H / 7, W}, {W, H / 7}})).empty());
  EXPECT_FALSE(sizes_of(plan_of({{H + W, 23}, {23, H + W}, {H, W}, {W, H + 1}})).empty());  // 11, 12
  EXPECT_FALSE(sizes_of(plan_of({{H * W, 77}, {77, H * W}, {2, H}, {2, W}})).empty());
  EXPECT_FALSE(sizes_of(plan_of({{S, 40}, {H + 3 * S, W}, {W, H + 3 * S}, {120, W}})).empty());
}

TEST(SampleSizes, KeepThoseThatAreGiven) {
  EXPECT_EQ(sizes_of(plan_of({{W, H}, {H, W}}, {"H", "W"}), {{"W", 13}}), (Sizes{13, 13}));
  EXPECT_TRUE(sizes_of(plan_of({{5, H}}), {{"H", 3}}).empty());
}

TEST(SampleSizes, AreNotFoundIfThereAreNone) {
  EXPECT_TRUE(sizes_of(plan_of({{5, H}, {H, 4}})).empty());
  EXPECT_TRUE(sizes_of(plan_of({{1, 7 / (0 * H)}})).empty());  // cannot be evaluated
}

TEST(SampleSizes, AreNotNegativeInTensorsAndBuffers) {
  Plan plan = plan_of({});
  plan.buffers.push_back({.bytes = {(4 * (H + Code(-4))).code}});
  EXPECT_EQ(sizes_of(plan), (Sizes{8, 1, 1}));
  plan.outputs.push_back({.name = "y", .dims = {{(W / 32 + Code(-6)).code}}});
  EXPECT_EQ(sizes_of(plan), (Sizes{8, 224, 1}));
}

TEST(SampleSizes, OfEqualNamesAreOneSymbol) {
  const Plan first = plan_of({{5, W}}, {"A", "B"}), second = plan_of({{H, 6}, {H % 3, 0}}, {"B"});
  const Plan* const plans[] = {&first, &second};
  const SampleSizes sample = sample_sizes(plans, {}, kSmallSizesFirst);
  EXPECT_TRUE(sample.fit);
  EXPECT_EQ(sample.sizes.at("B"), 6);
}

TEST(SampleSizes, ThatOnlyARunKnowsAreOneIfTheyCanBe) {
  EXPECT_EQ(sizes_of(plan_of({{5, H}}, {"H", "dim#1"})), (Sizes{8, 1}));
  EXPECT_EQ(sizes_of(plan_of({{5, W}}, {"H", "dim#1"}))[1] >= 5, true);
}

TEST(SampleSizes, AreSuggestedForTheOthers) {
  EXPECT_EQ(suggested_sizes(plan_of({{5, H}}), {{"W", 3}}), " (for example --dim H=8 --dim S=1)");
  EXPECT_EQ(suggested_sizes(plan_of({{5, H}, {H, 4}}), {}), "");
}

}  // namespace
}  // namespace cppgen::rt
