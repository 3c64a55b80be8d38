// Random graphs: compiled for every instruction set of this CPU against the interpreter.
//   test_property [--graphs N] [--minutes M] [--seed S]
// Without options, graphs for about a minute from a fixed seed on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <span>

#include "cppgen/flow/compile/stages.h"
#include "tests/isas_to_test.h"
#include "tests/property/differential.h"

namespace cppgen::property {

struct Budget {
  int64_t graphs = 400;
  double seconds = 60;
  uint64_t seed = 1;
};
static Budget budget;

namespace {

constexpr size_t kBatch = 16;
constexpr size_t kMostReports = 5;

TEST(RandomGraphs, HaveTenNodesOrMoreAndAreReproducible) {
  std::vector<size_t> sizes;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    Case a = make_case(seed), b = make_case(seed);
    ASSERT_EQ(describe(a), describe(b));
    verify(a.random.graph);
    sizes.push_back(a.random.graph.nodes.size());
  }
  std::nth_element(sizes.begin(), sizes.begin() + 30, sizes.end());
  EXPECT_GE(sizes[30], 10u);
}

TEST(RandomGraphs, CoverTheOperatorTable) {
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 300; seed++)
    for (const Node& n : make_case(seed).random.graph.nodes) seen.insert(n.op);
  EXPECT_GE(seen.size(), 70u);
}

TEST(RandomGraphs, ReachWhatLargeTensorsSee) {
  int gaps = 0, non_temporal = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    const schedule::Schedule s = schedule_of(make_case(seed), *find_isa("avx512"));
    gaps += std::any_of(s.layouts.begin(), s.layouts.end(), [](const auto& layout) { return layout.pad > 0; });
    non_temporal += std::any_of(s.steps.begin(), s.steps.end(), [](const auto& step) {
      const auto* k = std::get_if<schedule::FusedKernel>(&step);
      return k && !k->non_temporal.empty();
    });
  }
  EXPECT_GE(gaps, 5);
  EXPECT_GE(non_temporal, 20);
}

void report(const Case& c, const Failure& failure, const DifferentialOptions& options) {
  const VecISA& isa = *find_isa(failure.isa);
  Case small = minimise(c, isa, options);
  DifferentialOptions one = options;
  one.isas = {&isa};
  auto again = check_cases({small}, one);
  ADD_FAILURE() << "instruction set " << failure.isa << ": " << (again.empty() ? failure.what : again[0].what) << "\n"
                << describe(small);
}

TEST(RandomGraphs, GiveTheInterpretersResults) {
  DifferentialOptions options{isas_to_test(), "-O1", 2, {}};
  double start = StageClock::now();
  int64_t done = 0;
  size_t failed = 0;
  auto elapsed = [&] { return StageClock::now() - start; };
  while (done < budget.graphs && elapsed() < budget.seconds && failed < kMostReports) {
    std::vector<Case> cases;
    for (size_t i = 0; i < kBatch && done < budget.graphs; i++)
      cases.push_back(make_case(budget.seed + uint64_t(done++)));
    std::set<size_t> reported;
    for (const Failure& f : check_cases(cases, options))
      if (reported.insert(f.index).second && failed++ < kMostReports) report(cases[f.index], f, options);
  }
  std::printf("%ld graphs x %zu instruction sets in %.0f s: %.0f graphs per minute\n", long(done), options.isas.size(),
              elapsed(), double(done) * 60 / elapsed());
  EXPECT_GT(done, 0);
}

// For elements of these bits, among which those of infinity are given; those of NaN are greater, but for the sign.
template <class Bits>
bool same_bits_but_for_nan(std::span<const std::byte> a, std::span<const std::byte> b, Bits infinity) {
  const auto is_nan = [&](Bits x) { return Bits(x << 1) > Bits(infinity << 1); };
  for (size_t i = 0; i < a.size(); i += sizeof(Bits)) {
    Bits x, y;
    std::memcpy(&x, &a[i], sizeof x), std::memcpy(&y, &b[i], sizeof y);
    if (x != y && !(is_nan(x) && is_nan(y))) return false;
  }
  return true;
}

// Which of several NaN an operation returns is not defined, and depends on the order of its operands.
bool same_bits_but_for_nan(DType type, std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  switch (type) {
    case DType::f16:
      return same_bits_but_for_nan<uint16_t>(a, b, 0x7c00);
    case DType::bf16:
      return same_bits_but_for_nan<uint16_t>(a, b, 0x7f80);
    case DType::f32:
      return same_bits_but_for_nan<uint32_t>(a, b, 0x7f800000);
    case DType::f64:
      return same_bits_but_for_nan<uint64_t>(a, b, 0x7ff0000000000000);
    default:
      return std::equal(a.begin(), a.end(), b.begin());
  }
}

// But for the rows of tuning.def that say otherwise, constants decide how fast kernels are, and nothing else.
TEST(RandomGraphs, GiveTheSameBitsUnderOtherTuning) {
  std::vector<std::vector<std::byte>> results;
  size_t next = 0;
  DifferentialOptions options{{isas_to_test().back()}, "-O1", 2, {}};
  options.compare = [&](const Case&, const ir::HostTensor&, const rt::Tensor& actual) -> std::string {
    const auto* bytes = static_cast<const std::byte*>(actual.data());
    results.emplace_back(bytes, bytes + actual.bytes());
    return "";
  };
  std::vector<Case> cases;
  for (uint64_t seed = 1; cases.size() < size_t(kBatch) * 4; seed++) cases.push_back(make_case(budget.seed + seed));
  for (Case& c : cases) c.tuning_seed = 0;
  EXPECT_TRUE(check_cases(cases, options).empty());
  for (Case& c : cases) c.tuning_seed = c.seed, c.tuning_of_bits = false;
  options.compare = [&](const Case&, const ir::HostTensor&, const rt::Tensor& actual) -> std::string {
    const std::vector<std::byte>& before = results.at(next++);
    const auto* bytes = static_cast<const std::byte*>(actual.data());
    const bool same = same_bits_but_for_nan(actual.type(), before, {bytes, size_t(actual.bytes())});
    return same ? "" : "other bits than with the default tuning";
  };
  for (const Failure& f : check_cases(cases, options)) ADD_FAILURE() << f.what << "\n" << describe(cases[f.index]);
  EXPECT_EQ(next, results.size());
}

// The test of the test: a wrong operator in the emitted text is found, and soon.
TEST(RandomGraphs, FindAPlantedBug) {
  DifferentialOptions options{{isas_to_test().back()}, "-O1", 2, [](std::string& source) {
                                for (size_t at = source.find("vec::max("); at != std::string::npos;
                                     at = source.find("vec::max(", at))
                                  source.replace(at, 9, "vec::min(");
                              }};
  double start = StageClock::now();
  std::vector<Failure> failures;
  std::vector<Case> cases;
  for (uint64_t seed = 1; failures.empty() && StageClock::now() - start < 60; seed += kBatch) {
    cases.clear();
    for (uint64_t i = 0; i < kBatch; i++) cases.push_back(make_case(seed + i));
    failures = check_cases(cases, options);
  }
  ASSERT_FALSE(failures.empty());
  Case small = minimise(cases[failures[0].index], *options.isas[0], options, 30);
  EXPECT_LT(small.random.graph.nodes.size(), cases[failures[0].index].random.graph.nodes.size());
  EXPECT_LE(small.random.graph.nodes.size(), 4u) << describe(small);
}

}  // namespace
}  // namespace cppgen::property

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto& budget = cppgen::property::budget;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string name = argv[i];
    if (name == "--graphs")
      budget.graphs = std::atoll(argv[i + 1]), budget.seconds = 1e9;
    else if (name == "--minutes")
      budget.seconds = 60 * std::atof(argv[i + 1]), budget.graphs = int64_t{1} << 40;
    else if (name == "--seed")
      budget.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  return RUN_ALL_TESTS();
}
