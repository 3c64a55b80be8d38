// The steps of recurrent operators: weights are packed once, and steps that no iteration changes run before the loop.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

const RepeatedSteps* repeated(const Schedule& s) {
  for (const auto& step : s.steps)
    if (const auto* r = std::get_if<RepeatedSteps>(&step)) return r;
  return nullptr;
}

Schedule lstm(bool constant_weights) {
  GraphMaker g;
  auto weights = [&](const char* name, std::vector<int64_t> dims) {
    const auto count = size_t(dims[1] * dims[2]);
    return constant_weights ? g.floats(dims, std::vector<double>(count, 0.5))
                            : g.input(name, Shape(dims.begin(), dims.end()));
  };
  ValueId x = g.input("x", {10, 2, 32}), w = weights("w", {1, 128, 32}), r = weights("r", {1, 128, 32});
  g.output(g.node("LSTM", {x, w, r}, {{"hidden_size", int64_t(32)}}));
  return scheduled(g);
}

TEST(Repetition, ConstantWeightsArePackedWhenTheModelIsCompiled) {
  const Schedule s = lstm(true);
  ASSERT_TRUE(repeated(s));
  EXPECT_EQ(repeated(s)->body.size(), 2u) << "a product and the gates";
  EXPECT_EQ(s.packed.size(), 2u);
}

TEST(Repetition, OtherWeightsArePackedOnceARun) {
  const Schedule s = lstm(false);
  ASSERT_TRUE(repeated(s));
  EXPECT_EQ(repeated(s)->body.size(), 2u) << "packing runs before the repetition";
  const auto& copies = s.log.copies;
  EXPECT_EQ(std::count_if(copies.begin(), copies.end(), [](const auto& c) { return c.kind == std::string("packing"); }),
            2);
}

}  // namespace
}  // namespace cppgen::schedule
