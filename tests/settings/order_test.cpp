// The setting of the order of steps.
#include "runtime/session/session.h"
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

constexpr int kBranches = 4;

// Different ones for each value: equal products are computed once.
void add_weights(ModelMaker& maker, const std::string& name, std::vector<int64_t> dims, int value) {
  auto& values = maker.initializer(name, dims, onnx::TensorProto::FLOAT);
  for (int64_t i = 0; i < dims[0] * dims[1]; i++) values.add_float_data(float(value));
}

// Each branch widens an input and narrows it again; the model widens in all branches first.
TEST_F(SettingEffect, REORDER_FOR_PEAK_MEMORY) {
  ModelMaker maker;
  const auto name = [](const char* what, int i) { return what + std::to_string(i); };
  for (int i = 0; i < kBranches; i++) {
    add_weights(maker, name("up", i), {32, 512}, i), add_weights(maker, name("down", i), {512, 32}, i);
    maker.input(name("x", i), {"64", "32"});
    maker.node("MatMul", {name("x", i), name("up", i)}, {name("wide", i)});
  }
  for (int i = 0; i < kBranches; i++) {
    maker.node("MatMul", {name("wide", i), name("down", i)}, {name("narrow", i)});
    maker.output(name("narrow", i));
  }
  const std::string model = write("branches.onnx", maker);
  const int64_t wide_bytes = 64 * 512 * 4;
  const auto wide_values = [&] {
    std::filesystem::remove_all(path("model.package"));
    rt::Session session(rt::Executable::load(package(model)), rt::SessionOptions::from(settings()));
    return session.stats().arena_bytes / wide_bytes;
  };
  expect_effect<int64_t>("0", wide_values, 1, kBranches);
}

// The second branch needs what the first one stores, so no order is better than the model's.
TEST(ReorderForPeakMemory, DependenciesAreKept) {
  GraphMaker g;
  const auto weights = [&](std::vector<int64_t> dims) {
    return g.floats(dims, std::vector<double>(size_t(dims[0] * dims[1]), 0.5));
  };
  ValueId v = g.input("x", {g.symbol("N"), 32});
  for (int i = 0; i < 3; i++) v = g.node("MatMul", {g.node("MatMul", {v, weights({32, 512})}), weights({512, 32})});
  g.output(v);
  const schedule::Schedule s = schedule_of(std::move(g), Settings());
  EXPECT_EQ(schedule::decision(s.log, "order").reason, "no such decision");
}

}  // namespace
}  // namespace cppgen
