// Settings that decide which nests of a program become one kernel.
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

using namespace schedule;

GraphMaker sum_of(int count) {
  GraphMaker g;
  ValueId v = g.input("x0", {64, 32});
  for (int i = 1; i < count; i++) v = g.node("Add", {v, g.input("x" + std::to_string(i), {64, 32})});
  return g.output(v);
}

// The number of kernels, and the greatest number of buffers of one.
TEST_F(SettingEffect, MAX_FUSION_UNIQUE_IO_BUFFERS) {
  using Seen = std::pair<size_t, size_t>;
  const auto see = [&] {
    Seen seen{0, 0};
    const Schedule s = schedule_of(sum_of(8), settings());
    for (const FusedKernel* k : kernels_of(s))
      seen = {seen.first + 1, std::max(seen.second, k->inputs.size() + k->outputs.size())};
    return seen;
  };
  expect_effect<Seen>("4", see, {1, 9}, {4, 4});
  expect_effect<Seen>("9", see, {1, 9}, {1, 9});
  environment["CPPGEN_MAX_FUSION_UNIQUE_IO_BUFFERS"] = "4";
  EXPECT_TRUE(is_refused(schedule_of(sum_of(8), settings()),
                         "the kernel would access 5 buffers (MAX_FUSION_UNIQUE_IO_BUFFERS=4)"));
}

// Pointwise nodes of inputs of their own, or of one input.
GraphMaker siblings(bool of_one_input) {
  GraphMaker g;
  for (const char* op : {"Exp", "Neg", "Abs"})
    g.output(g.node(op, {of_one_input && !g.g.inputs.empty() ? g.g.inputs[0] : g.input(op, {64, 32})}));
  return g;
}

TEST_F(SettingEffect, COMBO_KERNELS) {
  using Kernels = std::pair<size_t, size_t>;
  const auto kernels = [&] {
    return Kernels(schedule_of(siblings(false), settings()).steps.size(),
                   schedule_of(siblings(true), settings()).steps.size());
  };
  expect_effect<Kernels>("0", kernels, {1, 1}, {3, 1});
  environment["CPPGEN_COMBO_KERNELS"] = "0";
  EXPECT_TRUE(is_refused(schedule_of(siblings(false), settings()),
                         "both read the same 0 bytes (SCORE_FUSION_MEMORY_THRESHOLD=10), and COMBO_KERNELS is 0"));
  environment["CPPGEN_SCORE_FUSION_MEMORY_THRESHOLD"] = "8193";
  EXPECT_EQ(kernels(), Kernels(3, 3));
}

GraphMaker reductions(bool of_one_input, const char* second = "ReduceMin") {
  GraphMaker g;
  const ValueId x = g.input("x", {64, 100}), y = of_one_input ? x : g.input("y", {64, 100});
  g.output(g.node("ReduceMax", {x}, {{"axes", std::vector<int64_t>{1}}}));
  const bool position = std::string(second) == "ArgMax";
  return g.output(position ? g.node(second, {y}, {{"axis", int64_t{1}}})
                           : g.node(second, {y}, {{"axes", std::vector<int64_t>{1}}}));
}

TEST_F(SettingEffect, AGGRESSIVE_FUSION) {
  const auto kernels = [&] { return schedule_of(reductions(false), settings()).steps.size(); };
  expect_effect<size_t>("1", kernels, 2, 1);
  environment["CPPGEN_AGGRESSIVE_FUSION"] = "1";
  EXPECT_EQ(schedule_of(reductions(false, "ArgMax"), settings()).steps.size(), 2u);
  environment["CPPGEN_COMBO_KERNELS"] = "0";
  EXPECT_EQ(schedule_of(siblings(false), settings()).steps.size(), 1u);
}

// Both reductions read 25600 bytes.
TEST_F(SettingEffect, SCORE_FUSION_MEMORY_THRESHOLD) {
  const auto kernels = [&] { return schedule_of(reductions(true), settings()).steps.size(); };
  expect_effect<size_t>("25600", kernels, 1, 1);
  expect_effect<size_t>("25601", kernels, 1, 2);
  environment["CPPGEN_SCORE_FUSION_MEMORY_THRESHOLD"] = "1MiB";
  EXPECT_TRUE(is_refused(schedule_of(reductions(true), settings()),
                         "both read the same 25600 bytes (SCORE_FUSION_MEMORY_THRESHOLD=1048576)"));
}

// The left operand is a part of a larger matrix.
TEST_F(SettingEffect, PROLOGUE_FUSION) {
  const auto product = [] {
    GraphMaker g;
    const ValueId rows = g.node("Slice", {g.input("x", {16, 32}), g.ints({4}), g.ints({12}), g.ints({0})});
    return g.output(g.node("MatMul", {rows, g.floats({32, 24}, std::vector<double>(size_t(32 * 24), 0.5))}));
  };
  expect_effect<size_t>(
      "0", [&] { return statements(product(), settings()); }, 1, 2);
  environment["CPPGEN_PROLOGUE_FUSION"] = "0";
  EXPECT_TRUE(is_refused(schedule_of(product(), settings()), "PROLOGUE_FUSION is 0"));
}

// x + y reads 4096 bytes and has three readers.
TEST_F(SettingEffect, REALIZE_ACC_READS_SIZE_THRESHOLD) {
  const auto stored = [&] {
    GraphMaker g;
    const ValueId v = g.node("Add", {g.input("x", {16, 32}), g.input("y", {16, 32})});
    for (const char* op : {"Exp", "Neg", "Abs"}) g.output(g.node(op, {v}));
    return statements(std::move(g), settings()) == 4;
  };
  expect_effect<bool>("4096", stored, false, false);
  expect_effect<bool>("4kB", stored, false, true);
}

TEST_F(SettingEffect, MIN_NUM_SPLIT) {
  const auto parts = [&] {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", {60, 4096}), g.ints({0, 1})}));
    return decision(schedule_of(std::move(g), settings()).log, "split").reason;
  };
  expect_effect<std::string>("10", parts, "30 parts", "30 parts");
  expect_effect<std::string>("31", parts, "30 parts", "60 parts");
  expect_effect<std::string>("1000", parts, "30 parts", "1024 parts");
}

TEST_F(SettingEffect, LOOP_ORDERING_AFTER_FUSION) {
  const auto kernels = [&] {
    GraphMaker g;
    const ValueId e = g.node("Exp", {g.input("x", {16, 24})});
    const ValueId turned = g.node("Transpose", {e}, {{"perm", std::vector<int64_t>{1, 0}}});
    g.output(e).output(g.node("Add", {turned, g.input("y", {24, 16})}));
    return schedule_of(std::move(g), settings()).steps.size();
  };
  expect_effect<size_t>("0", kernels, 1, 2);
}

}  // namespace
}  // namespace cppgen
