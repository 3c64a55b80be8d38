// The rows of a padded convolution that share a tile.
#include <cmath>

#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

std::vector<double> weights(int64_t count, double last = 0.25) {
  std::vector<double> values(size_t(count), 0.5);
  values.back() = last;
  return values;
}

RowTiling tiling(int64_t size, int64_t kernel, std::map<std::string, Attribute> attributes, double last = 0.25,
                 bool constant = true) {
  GraphMaker g;
  const Shape shape{32, 16, kernel, kernel};
  const ValueId w =
      constant ? g.floats({32, 16, kernel, kernel}, weights(32 * 16 * kernel * kernel, last)) : g.input("w", shape);
  g.output(g.node("Conv", {g.input("x", {1, 16, size, size}), w}, std::move(attributes)));
  Options options;
  options.max_autotune_conv_backends = {"CPP"};
  const Schedule s = scheduled(g, options);
  for (const auto& step : s.steps)
    if (const auto* kernel_step = std::get_if<FusedKernel>(&step); kernel_step && kernel_step->contraction)
      return kernel_step->contraction->tiling;
  ADD_FAILURE() << "no contraction";
  return {};
}

const std::map<std::string, Attribute> kPadded{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};

TEST(RowTiling, TheBorderOfAPaddedImageStandsApart) {
  EXPECT_EQ(tiling(14, 3, kPadded), (RowTiling{true, 14, 14, 1, 1}));
  EXPECT_EQ(tiling(14, 3, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"strides", std::vector<int64_t>{2, 2}}}).right,
            0);  // no window crosses the right border
}

TEST(RowTiling, AnyRowsWithoutPadding) {
  EXPECT_EQ(tiling(14, 3, {}), RowTiling());
  EXPECT_EQ(tiling(14, 1, {}), RowTiling());
}

TEST(RowTiling, PaddingIsMultipliedWhereThatChangesSums) {
  for (double weight : {double(INFINITY), -double(INFINITY), double(NAN)})
    EXPECT_EQ(tiling(14, 3, kPadded, weight), RowTiling());
  EXPECT_EQ(tiling(14, 3, kPadded, 0, false), RowTiling());  // weights that are known only at run time
}

}  // namespace
}  // namespace cppgen::schedule
