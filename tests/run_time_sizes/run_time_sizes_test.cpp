// Random models with dimensions that only a run knows: interpreted and compiled, both against exact arithmetic. Some
// are tried here; for many more, say ten minutes from seed 1000 on:
//
//   CPPGEN_SECONDS=600 CPPGEN_SEED=1000 test_run_time_sizes --gtest_filter='*Longer*'
//
// CPPGEN_SECONDS=0 tries the first seed alone. CPPGEN_INTERPRETED=1 compiles nothing, which is a hundred times faster.
// Failures are printed with the fewest steps; CPPGEN_KEEP=FOLDER keeps their models. Reasons for which runs were
// refused are counted at the end.
#include <chrono>
#include <cstdlib>
#include <map>
#include <regex>

#include "tests/run_time_sizes/random_model.h"

namespace cppgen::sizes {
namespace {

constexpr int kSteps = 16;

class Tally {
 public:
  void count(const Verdict& verdict) {
    models_++;
    if (verdict.what != Verdict::refused) return;
    refused_++;
    // Names and numbers are left out.
    reasons_[std::regex_replace(verdict.text, std::regex("'[^']*'|[0-9]+"), "_")]++;
  }
  int models() const { return models_; }
  int refused() const { return refused_; }
  void print() const {
    std::printf("%d models, of which %d were refused\n", models_, refused_);
    for (const auto& [reason, count] : reasons_) std::printf("%5d  %s\n", count, reason.substr(0, 200).c_str());
  }

 private:
  int models_ = 0, refused_ = 0;
  std::map<std::string, int> reasons_;
};

void check_seed(uint64_t seed, bool compiled, Tally& tally) {
  const Verdict verdict = try_model(*random_model(seed, kSteps), compiled);
  tally.count(verdict);
  if (verdict.what != Verdict::failed) return;
  const char* folder = std::getenv("CPPGEN_KEEP");
  ADD_FAILURE() << report(seed, kSteps, compiled,
                          folder ? std::string(folder) + "/seed" + std::to_string(seed) + ".onnx" : "");
}

TEST(RunTimeSizes, InterpretedModelsAreExact) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 150; seed++) check_seed(seed, /*compiled=*/false, tally);
  tally.print();
  EXPECT_LE(tally.refused(), tally.models() / 10);
}

TEST(RunTimeSizes, CompiledModelsAreExact) {
  Tally tally;
  for (uint64_t seed = 1001; seed <= 1010; seed++) check_seed(seed, /*compiled=*/true, tally);
}

TEST(RunTimeSizes, ForLonger) {
  const char *seconds = std::getenv("CPPGEN_SECONDS"), *first = std::getenv("CPPGEN_SEED");
  if (!seconds) GTEST_SKIP() << "CPPGEN_SECONDS is not set";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::stoll(seconds));
  Tally tally;
  uint64_t seed = first ? std::stoull(first) : 1;
  do {
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));  // in case that it ends the process
    check_seed(seed++, !std::getenv("CPPGEN_INTERPRETED"), tally);
  } while (std::chrono::steady_clock::now() < end);
  tally.print();
}

}  // namespace
}  // namespace cppgen::sizes
