// The limits of one kernel's size, the parts of long sums, and the order of groups.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/schedule/fusion/group_dependencies.h"
#include "cppgen/schedule/uses.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

size_t most_nodes(const Schedule& s) {
  size_t most = 0;
  for (const FusedKernel* k : kernels_of(s))
    most = std::max(most, std::set<std::string>(k->origins.begin(), k->origins.end()).size());
  return most;
}

size_t most_loads(const Schedule& s) {
  size_t most = 0;
  for (const FusedKernel* k : kernels_of(s)) {
    size_t loads = 0;
    for (const Segment& segment : k->segments)
      for (Expr e : ir::postorder(roots_of(segment))) loads += e->kind == ir::ExprKind::load;
    most = std::max(most, loads);
  }
  return most;
}

GraphMaker chain(int length) {
  GraphMaker g;
  ValueId v = g.input("x", {64, 32});
  for (int i = 0; i < length; i++) v = g.node(i % 2 ? "Sigmoid" : "Neg", {v});
  g.output(v);
  return g;
}

TEST(KernelSize, CountsNodes) {
  GraphMaker long_chain = chain(300);
  Schedule s = scheduled(long_chain);
  EXPECT_LE(most_nodes(s), 64u);
  EXPECT_GE(most_nodes(s), 32u);
  Options few;
  few.max_fusion_size = 5;
  GraphMaker again = chain(300);
  s = scheduled(again, few);
  EXPECT_EQ(most_nodes(s), 5u);
  EXPECT_EQ(s.steps.size(), 60u);
}

// One node may be larger than a kernel.
TEST(KernelSize, ASumOfVeryManyInputsIsSeveralKernels) {
  GraphMaker g;
  std::vector<ValueId> inputs;
  for (int i = 0; i < 2000; i++) inputs.push_back(g.input("x" + std::to_string(i), {i % 2 ? 8 : 1}));
  g.output(g.node("Sum", inputs));
  const Schedule s = scheduled(g);
  EXPECT_GT(s.steps.size(), 1u);
  EXPECT_LE(most_loads(s), 256u);
  std::vector<ir::HostTensor> values;
  for (int i = 0; i < 2000; i++) {
    const std::vector<float> v(size_t(i % 2 ? 8 : 1), float(i));
    values.push_back({DType::f32, {int64_t(v.size())}, {}});
    const auto* bytes = reinterpret_cast<const std::byte*>(v.data());
    values.back().bytes.assign(bytes, bytes + v.size() * sizeof(float));
  }
  const auto result = ir::interpret(s.program, values);
  for (int i = 0; i < 8; i++) EXPECT_EQ(result[0].as<float>()[i], 1999000.0F);
}

int64_t longest_float_sum(const Program& program) {
  int64_t longest = 0;
  for (const auto& statement : program.statements) {
    const LoopNest* nest = as_nest(statement);
    if (!nest || nest->reductions.empty()) continue;
    longest = std::max(longest, ir::points(nest->reduced).constant());
  }
  return longest;
}

TEST(LongSums, AreCutByShapeAlone) {
  const std::pair<std::vector<int64_t>, std::vector<int64_t>> kCases[] = {
      {{20'000'000, 64}, {0}}, {{1LL << 31}, {0}}, {{5, 1LL << 30, 64}, {0, 1}}, {{2 * 4'194'319}, {0}}};
  for (const auto& [dims, axes] : kCases) {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", Shape(dims.begin(), dims.end())), g.ints(axes)}));
    EXPECT_LE(longest_float_sum(scheduled(g).program), int64_t(1) << 22) << dims[0];
  }
}

// The last part is shorter, because the length is a prime number.
TEST(LongSums, KeepTheirMeaningWhereNoNumberOfPartsDivides) {
  constexpr int64_t kPrime = 4'194'319;
  GraphMaker g;
  g.output(g.node("ReduceSum", {g.input("x", {kPrime, 64}), g.ints({0})}));
  Program program = ops::lower(g.g);
  DecisionLog log;
  fuse(program, {}, small_target(), log);
  ir::verify(program);
  EXPECT_LE(longest_float_sum(program), int64_t(1) << 20);
}

// Compared with the transitive closure of all dependencies.
TEST(GroupDependencies, AnswerAsTheClosureDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; round++) {
    GroupDependencies d;
    std::vector<std::set<int>> closure;
    const auto add_all = [&](std::set<int>& to, const std::vector<int>& groups) {
      for (int p : groups) to.insert(p), to.insert(closure[size_t(p)].begin(), closure[size_t(p)].end());
    };
    for (int step = 0; step < 40; step++) {
      const int count = int(closure.size());
      std::vector<int> producers;
      for (int p = 0; p < count; p++)
        if (random() % 8 == 0) producers.push_back(p);
      const int group = count ? int(random() % unsigned(count)) : 0;
      const bool cyclic = std::any_of(producers.begin(), producers.end(),
                                      [&](int p) { return p != group && closure[size_t(p)].count(group) > 0; });
      if (count && random() % 3 == 0 && !cyclic) {
        d.extend(group, producers);
        std::erase(producers, group);
        std::set<int> more;
        add_all(more, producers);
        for (int g = 0; g < count; g++)
          if (g == group || closure[size_t(g)].count(group)) closure[size_t(g)].insert(more.begin(), more.end());
      } else {
        d.add(producers);
        closure.emplace_back();
        add_all(closure.back(), producers);
      }
      for (int a = 0; a < int(closure.size()); a++)
        for (int b = 0; b < int(closure.size()); b++)
          ASSERT_EQ(d.depends(a, b), closure[size_t(a)].count(b) > 0) << a << " on " << b;
    }
    std::vector<int> priorities(closure.size());
    for (int& p : priorities) p = int(random() % 1000);
    std::set<int> done;
    for (int g : d.order(priorities)) {
      for (int p : closure[size_t(g)]) EXPECT_TRUE(done.count(p));
      done.insert(g);
    }
    EXPECT_EQ(done.size(), closure.size());
  }
}

}  // namespace
}  // namespace cppgen::schedule
