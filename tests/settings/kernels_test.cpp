// Settings of what kernels contain.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The assertion that fails, or "", where the first kernel of a model with one input and one output of float32 runs
// these units. The memory is large enough for more than the kernel's units.
std::string failed_assertion(const std::string& package, long begin, long end, size_t misaligned = 0) {
  const auto executable = rt::Executable::load(package);
  std::vector<float> x(1 << 21, 1.0f), y(1 << 21), scratch(1 << 16);
  void* buffers[] = {reinterpret_cast<char*>(x.data()) + misaligned, y.data()};
  const auto place = reinterpret_cast<uintptr_t>(scratch.data());
  int error = 0;
  const long first_check = 0;
  const cppgen_kernel_args args{buffers, &first_check, executable->runtime(), &error,
                                reinterpret_cast<char*>(scratch.data()) + (64 - place % 64) % 64};
  executable->kernel(0)(&args, begin, end);
  return error == 0 ? "" : executable->plan().checks.at(size_t(error - 1));
}

#undef NDEBUG  // the name of a test

TEST_F(SettingEffect, NDEBUG) {
  const std::string model = relu();
  const auto of_units = [&] { return failed_assertion(package(model), 1, 100000); };
  expect_effect<std::string>(
      "0", [&] { return failed_assertion(package(model), 0, 1); }, "", "");
  expect_effect<std::string>(
      "0", [&] { return failed_assertion(package(model), 0, 1, 2); }, "",
      "assertion failed: the kernel k0_relu relies on 'x' being aligned to 4 bytes");
  environment["CPPGEN_NDEBUG"] = "0";
  EXPECT_EQ(of_units().find("assertion failed: the kernel k0_relu is called for units outside of 0 to "), 0u);
}

// A failed assertion ends the run with an error that is a bug's.
TEST(Assertions, EndTheRun) {
  const TempFolder folder;
  rt::Plan plan;
  plan.model = "m", plan.isa = "scalar";
  plan.outputs = {{"y", DType::f32, {rt::test::num(64)}, 0}};
  plan.buffers = {{rt::PlanBufferKind::output, 0, 0, rt::test::num(256), 0, 0, -1}};
  rt::Step step;
  step.name = "k", step.engine = "loops", step.object = 0, step.buffers = {0}, step.output_count = 1;
  step.range = rt::test::num(64), step.unit_work = rt::test::num(1);
  plan.steps = {step};
  plan.objects = {"kernels_0.so"};
  plan.checks = {"assertion failed: the kernel k is wrong"};
  const std::string package = folder.path / "package";
  rt::test::write_package(package, plan, R"(extern "C" void k(const cppgen_kernel_args* args, long, long) {
    *args->error = 1;
  })",
                          {});
  rt::Session session(rt::Executable::load(package));
  EXPECT_THROW(session.run(std::vector<rt::TensorView>{}), InternalError);
}

// Rows of a matrix are summed, one more than it has.
TEST_F(SettingEffect, DEBUG_INDEX_ASSERTS) {
  ModelMaker maker(13);
  maker.initializer("axes", {1}, onnx::TensorProto::INT64).add_int64_data(1);
  maker.input("x", {"10", "300"}).output("y").node("ReduceSum", {"x", "axes"}, {"y"});
  const std::string model = write("sum.onnx", maker);
  expect_effect<std::string>(
      "1", [&] { return failed_assertion(package(model), 0, 10); }, "", "");
  expect_effect<std::string>(
      "1", [&] { return failed_assertion(package(model), 0, 11); }, "",
      "assertion failed: the kernel k0_reduce_sum writes 'y' at [i0, 0], outside of its shape "
      "[10, 1]");
}

// The largest error of op(x), relative to the result or not.
double error_of(const std::vector<float>& x, const std::vector<float>& y, double (*reference)(double), bool relative) {
  double worst = 0;
  for (size_t i = 0; i < x.size(); i++) {
    const double expected = reference(x[i]), error = std::fabs(y[i] - expected);
    worst = std::max(worst, relative ? error / std::fabs(expected) : error);
  }
  return worst;
}

std::vector<float> spread(float least, float most) {
  std::vector<float> x;
  for (int i = 0; i < 1000; i++) x.push_back(least + (most - least) * float(i) / 999.0f);
  return x;
}

// tests/math has the bounds of all functions.
TEST_F(SettingEffect, USE_FAST_MATH) {
  const std::vector<float> x = spread(-80, 80);
  const auto error = [&] { return error_of(x, results("Exp", x), std::exp, true); };
  const auto is_fast = [&] {
    const double e = error();
    EXPECT_LT(e, 1.2e-5);
    return e > 1e-6;
  };
  expect_effect<bool>("1", is_fast, false, true);
  environment["CPPGEN_USE_FAST_MATH"] = "1";
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto y = results("Exp", {kInfinity, -kInfinity, NAN, -0.0f});
  EXPECT_TRUE(y[0] == kInfinity && y[1] == 0 && std::isnan(y[2]) && y[3] == 1);
}

// Where the result is near 0, only its absolute error is small.
TEST_F(SettingEffect, USE_TANH_FOR_SIGMOID) {
  const std::vector<float> x = spread(-30, 30);
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto relative_error_is_large = [&] {
    const auto y = results("Sigmoid", x);
    EXPECT_LT(error_of(x, y, sigmoid, false), 3e-7);
    return error_of(x, y, sigmoid, true) > 0.5;
  };
  expect_effect<bool>("1", relative_error_is_large, false, true);
}

TEST_F(SettingEffect, USE_DECOMPOSE_TANH) {
  std::vector<float> x = spread(-12, 12);
  for (float v : {1e-6f, -1e-4f}) x.push_back(v);
  const auto relative_error_is_large = [&] {
    const auto y = results("Tanh", x);
    EXPECT_LT(error_of(x, y, std::tanh, false), 3e-7);
    return error_of(x, y, std::tanh, true) > 1e-4;
  };
  expect_effect<bool>("1", relative_error_is_large, false, true);
  environment["CPPGEN_USE_DECOMPOSE_TANH"] = "1";
  const auto y = results("Tanh", {-0.0f, std::numeric_limits<float>::infinity(), NAN, -100});
  EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]) && y[1] == 1 && std::isnan(y[2]) && y[3] == -1);
}

TEST_F(SettingEffect, DESCRIPTIVE_NAMES) {
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Exp", {"x"}, {"e"}, "block/0.exp*/");
  maker.node("Neg", {"e"}, {"y"}, "the_neg");
  const std::string model = write("named.onnx", maker);
  const auto name = [&] {
    return json::parse(succeed({"explain", model, "--json"}).out)["steps"][0]["name"].get<std::string>();
  };
  expect_effect<std::string>("node", name, "k0_neg", "k0_block_0_exp___the_neg");
}

TEST_F(SettingEffect, KERNEL_NAME_MAX_OPS) {
  ModelMaker maker;
  for (const char* op : {"Exp", "Neg", "Abs", "Sqrt", "Floor"}) {
    const std::string n(op);
    maker.input("x" + n, {"64"}).output("y" + n).node(op, {"x" + n}, {"y" + n});
  }
  const std::string model = write("several.onnx", maker);
  const auto name = [&] {
    return json::parse(succeed({"explain", model, "--json"}).out)["steps"][0]["name"].get<std::string>();
  };
  expect_effect<std::string>("3", name, "k0_exp_neg_abs_sqrt_floor", "k0_exp_neg_abs");
  expect_effect<std::string>("1", name, "k0_exp_neg_abs_sqrt_floor", "k0_exp");
}

// The exit status of `verify`: what finds each kind of bug.
constexpr int kSame = 0, kDiffers = 1, kFails = 3;

TEST_F(SettingEffect, INJECT_RELU_BUG) {
  const std::string model = relu();
  const auto found = [&] { return verified(model); };
  expect_effect<int>("accuracy", found, kSame, kDiffers);
  expect_effect<int>("runtime_error", found, kSame, kFails);
  expect_effect<int>("compile_error", found, kSame, kFails);
  environment["CPPGEN_INJECT_RELU_BUG"] = "runtime_error";
  EXPECT_TRUE(contains(run({"run", model}).err, "the kernel k0_relu fails because of INJECT_RELU_BUG=runtime_error"));
}

TEST_F(SettingEffect, INJECT_LOG1P_BUG) {
  const std::string model = model_of("Softplus", 1000);
  const auto found = [&] { return verified(model); };
  expect_effect<int>("accuracy", found, kSame, kDiffers);
  expect_effect<int>("runtime_error", found, kSame, kFails);
  expect_effect<int>("compile_error", found, kSame, kFails);
}

}  // namespace
}  // namespace cppgen
