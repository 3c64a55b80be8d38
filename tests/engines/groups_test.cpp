// Convolutions in groups against the interpreter, where pointers to rows move from one group to the next and where
// results are written channels-first, and with the same bits for any number of threads.
#include <cmath>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/forms/forms.h"
#include "cppgen/forms/tiles/plan.h"
#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

struct Grouped {
  int64_t images, groups, in, out, side, window, stride;  // channels of one group
  float weight = 0.25f;                                   // one of the weights
};

constexpr Grouped kGrouped[] = {
    {2, 3, 8, 16, 8, 3, 1},
    {3, 4, 16, 8, 7, 3, 2},
    {1, 16, 17, 19, 5, 3, 1},
    {2, 4, 16, 16, 8, 3, 1, INFINITY},
};

std::vector<double> weights_of(int64_t count, float one) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) values.push_back(double(i * 7 % 23 - 11) / 64);
  values[size_t(count / 2)] = double(one);
  return values;
}

// The convolution alone, whose images are channels-first, or between two of 1 x 1 taps.
Graph graph_of(const Grouped& c, bool alone) {
  GraphMaker g(13);
  const int64_t from = c.groups * c.in, to = c.groups * c.out, taps = c.window * c.window, pad = c.window / 2;
  const auto conv = [&](ValueId x, int64_t in, int64_t out, int64_t side, const std::vector<double>& weights,
                        std::map<std::string, Attribute> attributes) {
    return g.node("Conv", {x, g.floats({out, in, side, side}, weights)}, std::move(attributes));
  };
  const auto mixing = [&](ValueId x, int64_t channels) {
    return conv(x, channels, channels, 1, weights_of(channels * channels, 0.5f), {});
  };
  ValueId x = g.input("x", {c.images, from, c.side, c.side});
  if (!alone) x = mixing(x, from);
  x = conv(x, c.in, to, c.window, weights_of(to * c.in * taps, c.weight),
           {{"pads", std::vector<int64_t>(4, pad)},
            {"group", c.groups},
            {"strides", std::vector<int64_t>{c.stride, c.stride}}});
  g.output(alone ? x : mixing(g.node("Relu", {x}), to));
  return std::move(g.g);
}

// Winograd's algorithm has tests of its own, also of groups.
schedule::Options on_direct_tiles() {
  schedule::Options options;
  options.max_autotune_conv_backends = {"CPP"};
  return options;
}

void expect_meaning(const Machine& on, const Grouped& c, bool alone) {
  const ir::HostTensor images = sample(DType::f32, {c.images, c.groups * c.in, c.side, c.side}, 5);
  Graph one = graph_of(c, alone), meaning = graph_of(c, alone);
  const Result r = run_on(on, one, on_direct_tiles(), {images});
  const auto want = ir::interpret(ops::lower(meaning), {images});
  if (alone) {
    Graph two = graph_of(c, alone);
    ASSERT_EQ(run_on(on, two, on_direct_tiles(), {images}, 2).outputs[0].bytes, r.outputs[0].bytes);
  }
  for (int64_t e = 0; e < want[0].elements(); e++) {
    const double got = value(r.outputs[0], e), expected = value(want[0], e);
    if (std::isfinite(expected))
      ASSERT_NEAR(got, expected, 2e-5 * (1 + std::abs(expected))) << "result " << e;
    else
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got) : got == expected) << "result " << e;
  }
}

TEST(Groups, HaveTheirMeaning) {
  for (const char* isa : {"scalar", "avx2", "avx512"})
    for (const Grouped& c : kGrouped)
      for (const bool alone : {true, false}) {
        const auto on = machine(isa);
        if (!on) continue;
        SCOPED_TRACE(std::string(isa) + ", groups of " + std::to_string(c.in) + (alone ? ", alone" : ""));
        expect_meaning(*on, c, alone);
      }
}

forms::TilesPlan plan_of(const Grouped& c, const schedule::Target& target) {
  Graph graph = graph_of(c, true);
  const auto schedule = schedule::make_schedule(ops::lower(graph), on_direct_tiles(), target);
  for (const auto& step : schedule.steps)
    if (const auto* k = std::get_if<schedule::FusedKernel>(&step); k && k->contraction)
      return dynamic_cast<const forms::TilesPlan&>(*forms::plan_kernel({schedule, *k, target}).form);
  throw std::runtime_error("no contraction");
}

TEST(Groups, SharePointersWhereTheirPanelsStayInTheCache) {
  schedule::Target target = target_of(*find_isa("avx2"), MachineDescription{});
  target.l2_bytes = 512 << 10;
  const forms::TilesPlan few = plan_of({1, 16, 16, 16, 28, 3, 1}, target);
  EXPECT_TRUE(few.batch_inside);
  EXPECT_EQ(few.batch_distance, 16);
  const forms::TilesPlan many = plan_of({1, 300, 16, 16, 28, 3, 1}, target);
  EXPECT_FALSE(many.batch_inside);
  EXPECT_EQ(many.batch_distance, 0);
  target.l2_bytes = 64 << 20;  // there would have to be more padding than tuning.def allows
  const forms::TilesPlan wide = plan_of({1, 300, 16, 16, 28, 3, 1}, target);
  EXPECT_TRUE(wide.batch_inside);
  EXPECT_EQ(wide.batch_distance, 0);
}

}  // namespace
}  // namespace cppgen::engines
