// Settings of checks at the boundary of a model and in its kernels.
#include <cstring>
#include <limits>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using rt::test::operator+;
using rt::test::num;
using rt::test::sym;

rt::SessionOptions options_of(const Settings& settings) {
  rt::SessionOptions options = rt::SessionOptions::from(settings);
  options.threads = 1;
  return options;
}

// The text of the UserError of a run; "" if it succeeds.
std::string error_of(rt::Session& session, const std::vector<rt::TensorView>& inputs) {
  try {
    session.run(inputs);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

rt::Tensor ramp(std::vector<int64_t> dims) {
  rt::Tensor x(DType::f32, std::move(dims));
  for (int64_t i = 0; i < x.elements(); i++) x.as<float>()[i] = float(i);
  return x;
}

// The second input is longer than the first, which the kernel reads by the first one's length.
TEST_F(SettingEffect, SIZE_ASSERTS) {
  ModelMaker maker;
  maker.input("a", {"N"}).input("b", {"N"}).output("y").node("Add", {"a", "b"}, {"y"});
  const auto executable = rt::Executable::load(package(write("add.onnx", maker)));
  const rt::Tensor a = ramp({4}), b = ramp({8}), matrix = ramp({4, 1});
  const auto refused = [&] {
    rt::Session session(executable, options_of(settings()));
    EXPECT_EQ(error_of(session, {a.view(), matrix.view()}),
              "input 'b' has shape [4, 1] of 2 dimensions; the model requires 1");
    const std::string error = error_of(session, {a.view(), b.view()});
    if (error.empty()) {
      const auto results = session.run(std::vector<rt::TensorView>{a.view(), b.view()});
      EXPECT_EQ(results[0].dims(), std::vector<int64_t>{4});
      for (int i = 0; i < 4; i++) EXPECT_EQ(results[0].as<float>()[i], float(2 * i));
    }
    return error;
  };
  expect_effect<std::string>("0", refused, "input 'b' axis 0 is 8, but N is 4 from input 'a' axis 0", "");
}

TEST_F(SettingEffect, ALIGNMENT_ASSERTS) {
  const auto executable = rt::Executable::load(package(symbolic_model()));
  const rt::Tensor x = ramp({2, 3});
  std::vector<char> bytes(size_t(x.bytes()) + 1);
  std::memcpy(bytes.data() + 1, x.data(), size_t(x.bytes()));
  const rt::TensorView shifted{DType::f32, x.dims(), bytes.data() + 1};
  const auto refused = [&] {
    rt::Session session(executable, options_of(settings()));
    const std::string error = error_of(session, {shifted});
    if (error.empty()) {
      EXPECT_EQ(session.run(std::vector<rt::TensorView>{shifted})[0].as<float>()[5], 5);
    }
    return error;
  };
  expect_effect<std::string>("0", refused, "input 'x' is not aligned to its element size (4 bytes)", "");
}

// A relation between two dimensions on which the compiler relied.
TEST_F(SettingEffect, SCALAR_ASSERTS) {
  rt::Plan plan;
  plan.model = "bounds", plan.isa = "scalar";
  plan.symbols = {{"N", 0, 0}, {"M", 1, 0}};
  plan.bounds = {{sym(0) + num(2), sym(1), "N + 2 <= M"}};
  plan.inputs = {{"a", DType::f32, {sym(0)}, 0}, {"b", DType::f32, {sym(1)}, 0}};
  rt::test::write_package(path("package"), plan, "", {});
  const auto executable = rt::Executable::load(path("package"));
  const rt::Tensor three = ramp({3}), four = ramp({4}), five = ramp({5});
  const auto refused = [&] {
    rt::Session session(executable, options_of(settings()));
    EXPECT_EQ(error_of(session, {three.view(), five.view()}), "");
    return error_of(session, {three.view(), four.view()});
  };
  expect_effect<std::string>(
      "0", refused, "the model requires N + 2 <= M; N = 3 from input 'a' axis 0, M = 4 from input 'b' axis 0", "");
}

// Tests whether kernels report errors, and that results are the interpreter's either way.
TEST_F(SettingEffect, ASSERT_INDIRECT_INDEXING) {
  const std::string model = gather_model();
  succeed({"run", model, "--reference", "--output", path("data")});
  const auto checked = [&] {
    succeed({"verify", model, path("data")});
    const std::string source = succeed({"explain", model, "--source"}).out;
    EXPECT_NE(source.find("CPPGEN_KERNEL"), source.npos);
    return source.find("args->error") != source.npos;
  };
  expect_effect<bool>("0", checked, true, false);
}

// 3e38 is finite after the first kernel, and not after the second one, which doubles it.
TEST_F(SettingEffect, NAN_ASSERTS) {
  rt::test::write_package(path("package"), rt::test::two_step_plan(), rt::test::kTwoStepSource,
                          rt::test::kTwoStepWeights);
  const auto executable = rt::Executable::load(path("package"));
  rt::Tensor x = ramp({5, 4});
  x.as<float>()[6] = 3e38f;
  const auto error = [&] {
    rt::Session session(executable, options_of(settings()));
    EXPECT_EQ(error_of(session, {ramp({5, 4}).view()}), "");
    return error_of(session, {x.view()});
  };
  expect_effect<std::string>(
      "1", error, "", "NAN_ASSERTS: kernel 'k_twice' (nodes 'Mul_1') wrote inf to element 6 of buffer 3 'y' (float32)");
  environment["CPPGEN_NAN_ASSERTS"] = "1";
  x.as<float>()[6] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error(), "NAN_ASSERTS: kernel 'k_add' (nodes 'Add_0') wrote nan to element 6 of buffer 2 't' (float32)");
}

}  // namespace
}  // namespace cppgen
