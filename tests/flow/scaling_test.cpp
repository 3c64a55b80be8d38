// Predicted times of many threads, by peaks that do not depend on the machine of the tests.
#include "cppgen/flow/costs/scaling.h"

#include <algorithm>

#include "cppgen/flow/explain/explain.h"
#include "runtime/base/errors.h"
#include "runtime/library/chunks.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

constexpr MachineDescription kHere{.cores = 2, .l2_bytes = 1 << 20, .l3_bytes = 32 << 20, .l3_cores = 2};

MachinePeaks peaks(int threads) {
  MachinePeaks p;
  p.threads = threads, p.lanes = 16;
  p.gflops = 100 * threads, p.loads_per_ns = 2 * threads;
  p.levels = {
      {"L2", (1 << 20) * threads, 100. * threads}, {"L3", 32 << 20, 80. * threads}, {"memory", 0, 10. + 10 * threads}};
  if (threads > 1) p.exchange_gb_per_second = p.far_exchange_gb_per_second = 20, p.round_trip_ns = 100;
  return p;
}

MachineModel machine(int threads, const std::vector<std::string>& given = {}) {
  return machine_model(peaks(1), peaks(2), false, kHere, {}, threads, given);
}

std::string_view source_of(const MachineModel& model, std::string_view name) {
  for (const MachineNumber& n : model.numbers)
    if (n.name == name) return n.source;
  return "";
}

TEST(MachineModel, LargerMachinesAreAssumed) {
  const MachineModel here = machine(2), large = machine(64);
  EXPECT_EQ(here.number("cores"), 2);
  EXPECT_EQ(here.number("memory"), 30);
  EXPECT_EQ(source_of(here, "memory"), "measured");
  EXPECT_EQ(large.number("cores"), 64);
  EXPECT_EQ(large.number("memory"), 320);
  EXPECT_EQ(source_of(large, "memory"), "assumed");
  EXPECT_EQ(large.number("l3_cores"), 8) << "not the two of a virtual machine, of 16 MiB each";
  EXPECT_EQ(large.number("memory_one"), 20);
  EXPECT_EQ(large.number("memory_each"), 15);
}

TEST(MachineModel, NumbersAreGiven) {
  const MachineModel model = machine(64, {"memory=100", "l3=16MiB", "l3_cores=4"});
  EXPECT_EQ(model.number("memory"), 100);
  EXPECT_EQ(source_of(model, "memory"), "given");
  EXPECT_EQ(model.number("l3"), 16 << 20);
  EXPECT_EQ(machine(8, {"cores=16"}).number("memory"), 80) << "of the given cores";
  for (const char* bad : {"speed=2", "memory", "memory=0", "memory=fast", "memory=1GB", "l3=-1", "cores=nan"})
    EXPECT_THROW(machine(64, {bad}), UserError) << bad;
}

TEST(MachineModel, PeaksOfManyThreads) {
  const MachineModel model = machine(64);
  const MachinePeaks one = peaks_on(model, 1), eight = peaks_on(model, 8), all = peaks_on(model, 64);
  EXPECT_EQ(one.levels.back().gb_per_second, 20);
  EXPECT_EQ(one.exchange_gb_per_second, 0);
  EXPECT_EQ(eight.levels.back().gb_per_second, 120);
  EXPECT_EQ(all.levels.back().gb_per_second, 320) << "all of it is in use";
  EXPECT_EQ(all.gflops, 6400);
  EXPECT_EQ(all.loads_per_ns, 128);
  EXPECT_EQ(all.levels[0].bytes, 64 << 20);
  EXPECT_EQ(all.levels[1].bytes, int64_t{8} * (32 << 20));
  EXPECT_EQ(last_level_caches(model, 8), 1);
  EXPECT_EQ(last_level_caches(model, 9), 2);
  EXPECT_DOUBLE_EQ(eight.round_trip_ns, 100) << "they share a last-level cache";
  EXPECT_DOUBLE_EQ(all.round_trip_ns, 7. / 63 * 100 + 56. / 63 * 300);
  EXPECT_LT(all.exchange_gb_per_second, eight.exchange_gb_per_second);
}

TEST(Scaling, ChunksOfThreads) {
  EXPECT_EQ(most_units(64, 64, 32), 2);
  EXPECT_EQ(most_units(48, 48, 32), 2);
  EXPECT_EQ(most_units(7, 7, 7), 1);
  EXPECT_EQ(most_units(100, 8, 8), 13);
  EXPECT_EQ(most_units(1000, 10, 1), 1000);
}

// Eight threads at half of the speed of eight others: they take a third of the work.
TEST(Scaling, SlowThreadsRunFewerChunks) {
  std::vector<double> speeds(16, 1.0);
  std::fill(speeds.begin() + 8, speeds.end(), 0.5);
  constexpr int64_t kUnits = 768;
  const double without_stealing = kUnits / 16 / 0.5, ideal = kUnits / 12.;
  EXPECT_EQ(finish_time(kUnits, 16, speeds), without_stealing) << "one chunk for each thread";
  EXPECT_LE(finish_time(kUnits, 64, speeds), 1.2 * ideal);
  EXPECT_LE(finish_time(kUnits, 768, speeds), 1.02 * ideal);
}

Explanation::Step step(double units, double products, double bytes) {
  Explanation::Step s;
  s.name = "step", s.kernel = 0;
  s.cost.units = units, s.cost.bytes = bytes, s.cost.products = products, s.cost.flops = 32 * products;
  s.cost.chunks = double(rt::chunk_count(int64_t(units), 1 << 18, int64_t(s.cost.flops), int64_t(bytes), 512));
  s.run_bytes = 1 << 20;
  s.bound = StepBound();
  return s;
}

Scaling scaled(const Explanation::Step& one, const std::vector<int>& threads) {
  Explanation explanation;
  explanation.steps = {one};
  return scaling_of(explanation, machine(64), threads);
}

// 0.1 s of arithmetic on one thread, in many units.
TEST(Scaling, LargeStepsScale) {
  const Scaling scaling = scaled(step(6400, 3.2e8, 1 << 20), {1, 8, 64});
  ASSERT_EQ(scaling.rows.size(), 3u);
  EXPECT_EQ(scaling.rows[0].speed_up, 1);
  EXPECT_NEAR(scaling.rows[0].ms, 1.05 * 102.4, 0.1);
  EXPECT_GT(scaling.rows[1].efficiency(), 0.99);
  EXPECT_GT(scaling.rows[2].efficiency(), 0.9);
}

TEST(Scaling, FewUnits) {
  const Scaling scaling = scaled(step(7, 3.2e8, 1 << 20), {8, 32});
  EXPECT_NEAR(scaling.rows[0].speed_up, 7, 0.1);
  EXPECT_NEAR(scaling.rows[1].speed_up, 7, 0.1);
  ASSERT_EQ(scaling.losses.size(), 1u);
  EXPECT_EQ(scaling.losses[0].why, "only 7 units for 32 threads");
  EXPECT_NEAR(scaling.losses[0].ms, 1.05 * 102.4 * (1 / 7. - 1 / 32.), 0.1);
}

TEST(Scaling, UnevenAndShortSteps) {
  EXPECT_EQ(scaled(step(48, 3.2e8, 1 << 20), {32}).losses[0].why, "48 units in 48 chunks are uneven for 32 threads");
  EXPECT_EQ(scaled(step(6400, 1e5, 1 << 10), {32}).losses[0].why, "too short for more than 4 chunks");
}

TEST(Scaling, BandwidthOfMemory) {
  const Scaling scaling = scaled(step(6400, 1e6, 4e9), {1, 8, 64});
  EXPECT_NEAR(scaling.rows[1].speed_up, 120 / 20., 0.1);
  EXPECT_NEAR(scaling.rows[2].speed_up, 320 / 20., 0.4);
  EXPECT_EQ(scaling.losses[0].why, "bandwidth of memory");
}

// 40 us on one thread; the beginning of a step takes longer than its part.
TEST(Scaling, StartOfTheStep) {
  Explanation::Step s = step(64, 1.2e5, 1 << 10);
  s.cost.chunks = 64;
  const Scaling scaling = scaled(s, {64});
  EXPECT_TRUE(scaling.losses[0].why.starts_with("start of the step (")) << scaling.losses[0].why;
}

// Each thread of its own rows reads all weights; threads of columns of their own read a part.
TEST(Scaling, ReadersOfWeights) {
  Explanation::Step rows = step(6400, 1e6, 24 << 20);
  rows.cost.constant_bytes = 24 << 20, rows.run_bytes = 24 << 20;
  rows.division = {.groups = 64, .by_columns = false, .left_bytes = 1000};
  Explanation::Step columns = rows;
  columns.division.by_columns = true;
  EXPECT_GT(scaled(rows, {64}).rows[0].ms, 5 * scaled(columns, {64}).rows[0].ms);
}

class ScalingOfModel : public CliTest {
 protected:
  Explanation explained(const std::string& model) const {
    CompileRequest request;
    request.model = model;
    const std::vector<std::pair<std::string, std::string>> options = {{"CACHE_DIR", path("cache")}, {"ISA", "scalar"}};
    request.settings = Settings::from_environment(process_environment(), options);
    return explain_model(request);
  }
};

// Weights of 512 x 768: the threads divide columns, because all panels exceed the second level.
TEST_F(ScalingOfModel, StepsKnowTheirDivision) {
  ModelMaker maker;
  maker.input("x", {"64", "512"}).output("y");
  maker.initializer("w", {512, 768}, onnx::TensorProto::FLOAT).set_raw_data(std::string(512 * 768 * 4, '\x3e'));
  maker.node("MatMul", {"x", "w"}, {"y"}, "product");
  const Explanation explanation = explained(write("product.onnx", maker));
  const auto product = std::find_if(explanation.steps.begin(), explanation.steps.end(),
                                    [](const auto& s) { return s.division.left_bytes > 0; });
  ASSERT_NE(product, explanation.steps.end());
  EXPECT_EQ(product->division.left_bytes, 64 * 512 * 4);
  EXPECT_GT(product->division.groups, 1);
  EXPECT_GE(product->cost.units, product->division.groups);
  EXPECT_GE(product->cost.units, product->cost.chunks);
  EXPECT_GE(product->run_bytes, 512 * 768 * 4);
}

// 16 rows of 2048 columns are 33 million products, which leave work for many units.
TEST_F(ScalingOfModel, LargeProductsOfFewRowsHaveManyUnits) {
  ModelMaker maker;
  maker.input("x", {"16", "1024"}).output("y");
  maker.initializer("w", {1024, 2048}, onnx::TensorProto::FLOAT).set_raw_data(std::string(1024 * 2048 * 4, '\x3e'));
  maker.node("MatMul", {"x", "w"}, {"y"}, "product");
  double units = 0;
  for (const auto& s : explained(write("large.onnx", maker)).steps) units = std::max(units, s.cost.units);
  EXPECT_GE(units, 64);
  EXPECT_LE(units, 1024);
}

}  // namespace
}  // namespace cppgen
