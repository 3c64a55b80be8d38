// Operators run with vectors, in the types that models are made of, unless a reason is stated here.
#include "tests/differential/how_it_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace cppgen::differential {
namespace {

const std::set<DType> kFloats = {DType::f32, DType::f16, DType::bf16}, kHalves = {DType::f16, DType::bf16},
                      kBytes = {DType::u8, DType::i8}, kIntegers = {DType::i32, DType::i64, DType::u8, DType::i8},
                      kNumbers = {DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::i8},
                      kTypes = {DType::f32, DType::f16, DType::bf16, DType::i32,
                                DType::i64, DType::u8,  DType::i8,   DType::boolean};

constexpr const char* kNoDivision = "64-bit integers have no division instruction";
constexpr const char* kThroughDouble = "integers are computed in double, whose functions are the C library's";
constexpr const char* kIndices = "each element lies where an index says";
constexpr const char* kChannelsFirst = "tiles have channels as lanes, and the model's own results are channels-first";
constexpr const char* kNarrow = "elements narrower than four bytes have no gather instruction";
constexpr const char* kOrder = "a function of the library: elements are taken in an order";
constexpr const char* kPasses = "a function of the library: passes over rows, four side by side";
constexpr const char* kSearch = "candidates are found by comparing, and fetched where they were found";

// The types of which an operator does not run with vectors alone, and why.
struct Reason {
  std::set<DType> types;
  const char* why;
};
const std::map<std::string, Reason> kByLane = {
    {"AffineGrid", {kHalves, kNarrow}},
    {"Conv", {kFloats, kChannelsFirst}},
    {"ConvInteger", {kBytes, kChannelsFirst}},
    {"ConvTranspose", {kHalves, "each element collects the products that reach it"}},
    {"CumProd", {kNumbers, kOrder}},
    {"CumSum", {kNumbers, kOrder}},
    {"DFT", {kFloats, kPasses}},
    {"DeformConv", {kFloats, kIndices}},
    {"Det", {kFloats, kSearch}},
    {"Div", {{DType::i64}, kNoDivision}},
    {"Erf", {kIntegers, kThroughDouble}},
    {"GRU", {kHalves, "weights that are no constants are read by columns; narrow elements have no gather instruction"}},
    {"GatherElements", {kTypes, kIndices}},
    {"GatherND", {kTypes, kIndices}},
    {"GridSample", {kFloats, kIndices}},
    {"LSTM",
     {kHalves, "weights that are no constants are read by columns; narrow elements have no gather instruction"}},
    {"MaxUnpool", {kFloats, kOrder}},
    {"Mod", {{DType::i64}, kNoDivision}},
    {"Multinomial", {kFloats, kThroughDouble}},
    {"NonMaxSuppression", {{DType::f32}, kSearch}},
    {"NonZero", {kTypes, kNoDivision}},
    {"Pow", {kIntegers, "integers are raised by squaring, as often as their exponents say"}},
    {"QLinearConv", {kBytes, kChannelsFirst}},
    {"ReduceLogSumExp", {kIntegers, kThroughDouble}},
    {"Resize", {kTypes, "source positions are read from a table"}},
    {"ReverseSequence", {kTypes, kIndices}},
    {"RoiAlign", {kFloats, kIndices}},
    {"STFT", {kFloats, kPasses}},
    {"Scatter", {kTypes, kOrder}},
    {"ScatterElements", {kTypes, kOrder}},
    {"ScatterND", {kTypes, kOrder}},
    {"SpaceToDepth", {{DType::boolean}, kNarrow}},
    {"TfIdfVectorizer", {{DType::i32, DType::i64}, kSearch}},
    {"TopK", {kNumbers, kOrder}},
    {"ai.onnx.ml.ArrayFeatureExtractor", {kTypes, kIndices}},
    {"com.microsoft.CropAndResize", {{DType::f32}, kIndices}},
    {"com.microsoft.DynamicQuantizeLSTM",
     {kBytes, "weights that are no constants are packed at each run, byte by byte"}},
    {"com.microsoft.FusedConv", {kFloats, kChannelsFirst}},
    {"com.microsoft.GridSample", {kFloats, kIndices}},
    {"com.microsoft.Inverse", {kFloats, kSearch}},
    {"com.microsoft.MatMulIntegerToFloat",
     {kBytes, "a right operand that is no constant is packed at each run, byte by byte"}},
    {"com.microsoft.QLinearAveragePool",
     {kBytes, "how many elements a window at the border holds is computed by division"}},
    {"cppgen.TreeScores", {{DType::f32}, "a function of the library: each row goes its own way through the trees"}},
};

TEST(HowItRuns, WithVectorsOrForAStatedReason) {
  std::map<std::string, std::set<DType>> by_lane;
  for (const auto& [op, types] : operator_table(all_samples(), *find_isa("avx2")))
    for (const auto& [type, how] : types) {
      if (how.kind <= HowItRuns::simd || !kTypes.count(type)) continue;
      by_lane[op].insert(type);
      const auto reason = kByLane.find(op);
      EXPECT_TRUE(reason != kByLane.end() && reason->second.types.count(type))
          << op << " of " << name_of(type) << " is " << name_of(how.kind) << ": "
          << fmt::format("{}", fmt::join(how.what, ", "));
    }
  for (const auto& [op, reason] : kByLane)
    for (DType type : reason.types)
      EXPECT_TRUE(by_lane[op].count(type)) << op << " of " << name_of(type) << " runs with vectors: no " << reason.why;
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
