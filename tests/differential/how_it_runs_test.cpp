// Operators run with vectors, in the types that models are made of, unless a reason is stated here.
#include "tests/differential/how_it_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace cppgen::differential {
namespace {

const std::vector<DType> kTypes = {DType::f32, DType::f16, DType::bf16, DType::i32,
                                   DType::i64, DType::u8,  DType::i8,   DType::boolean};

constexpr const char* kNoDivision = "64-bit integers have no division instruction";
constexpr const char* kThroughDouble = "integers are computed in double, whose functions are the C library's";
constexpr const char* kIndices = "each element lies where an index says";
constexpr const char* kChannelsFirst = "tiles have channels as lanes, and the model's own results are channels-first";
constexpr const char* kNarrow = "elements narrower than four bytes have no gather instruction";
constexpr const char* kOrder = "a function of the library: elements are taken in an order";
constexpr const char* kPasses = "a function of the library: passes over rows, four side by side";
constexpr const char* kSearch = "candidates are found by comparing, and fetched where they were found";

const std::map<std::string, const char*> kByLane = {
    {"Div", kNoDivision},
    {"Mod", kNoDivision},
    {"NonZero", kNoDivision},
    {"Pow", "integers are raised by squaring, as often as their exponents say"},
    {"Erf", kThroughDouble},
    {"ReduceLogSumExp", kThroughDouble},
    {"Multinomial", kThroughDouble},
    {"GatherElements", kIndices},
    {"GatherND", kIndices},
    {"Scatter", kOrder},
    {"ScatterElements", kOrder},
    {"ScatterND", kOrder},
    {"ReverseSequence", kIndices},
    {"GridSample", kIndices},
    {"com.microsoft.GridSample", kIndices},
    {"DeformConv", kIndices},
    {"RoiAlign", kIndices},
    {"Resize", "source positions are read from a table"},
    {"TfIdfVectorizer", kSearch},
    {"TopK", kOrder},
    {"MaxUnpool", kOrder},
    {"NonMaxSuppression", kSearch},
    {"Det", kSearch},
    {"Conv", kChannelsFirst},
    {"ConvInteger", kChannelsFirst},
    {"QLinearConv", kChannelsFirst},
    {"com.microsoft.FusedConv", kChannelsFirst},
    {"CumSum", kOrder},
    {"ConvTranspose", "each element collects the products that reach it"},
    {"DFT", kPasses},
    {"STFT", kPasses},
    {"com.microsoft.MatMulIntegerToFloat", "a right operand that is no constant is packed at each run, byte by byte"},
    {"com.microsoft.QLinearAveragePool", "how many elements a window at the border holds is computed by division"},
    {"SpaceToDepth", kNarrow},
    {"AffineGrid", kNarrow},
    {"GRU", "weights that are no constants are read by columns; narrow elements have no gather instruction"},
    {"LSTM", "weights that are no constants are read by columns; narrow elements have no gather instruction"},
};

TEST(HowItRuns, WithVectorsOrForAStatedReason) {
  std::set<std::string> by_lane;
  for (const auto& [op, types] : operator_table(all_samples(), *find_isa("avx2")))
    for (DType type : kTypes) {
      const auto found = types.find(type);
      if (found == types.end() || found->second.kind <= HowItRuns::simd) continue;
      by_lane.insert(op);
      EXPECT_TRUE(kByLane.count(op)) << op << " of " << name_of(type) << " is " << name_of(found->second.kind) << ": "
                                     << fmt::format("{}", fmt::join(found->second.what, ", "));
    }
  for (const auto& [op, reason] : kByLane)
    EXPECT_TRUE(by_lane.count(op)) << op << " runs with vectors now: no " << reason;
}

TEST(HowItRuns, WithoutVectorsOnTheScalarInstructionSet) {
  const Row add{"Add", {}, "T[33] T[33]"};
  Sample s = parse(add, add.cases, DType::f32);
  ASSERT_EQ(refusal(s), "");
  EXPECT_EQ(how_it_runs(s, *find_isa("scalar")).kind, HowItRuns::one_by_one);
  EXPECT_EQ(how_it_runs(s, *find_isa("avx2")).kind, HowItRuns::simd);
}

}  // namespace
}  // namespace cppgen::differential
