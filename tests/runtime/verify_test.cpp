#include "runtime/session/verify.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>

#include "runtime/base/errors.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

template <class T>
Tensor tensor(DType type, const std::vector<T>& values) {
  Tensor result(type, {int64_t(values.size())});
  std::memcpy(result.data(), values.data(), values.size() * sizeof(T));
  return result;
}
Tensor floats(const std::vector<float>& values) { return tensor(DType::f32, values); }

OutputReport compare(Tensor expected, const Tensor& actual, Tolerance tolerance = {}) {
  const auto dims = expected.dims();
  return compare_output({"y", std::move(expected), dims, 1}, actual.view(), tolerance);
}

TEST(Compare, FloatsWithinAFractionOfTheGreatest) {
  EXPECT_TRUE(compare(floats({1, 100}), floats({1.009f, 100})).ok);
  const OutputReport report = compare(floats({1, 100}), floats({1.02f, 100}));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.wrong, 1);
  EXPECT_EQ(report.worst, 0);
  EXPECT_NEAR(report.max_difference, 0.02, 1e-6);
  EXPECT_NE(report.reason.find("1 of 2 elements differ, the first at flat index 0"), std::string::npos);
  EXPECT_TRUE(compare(floats({1, 100}), floats({1.02f, 100}), {.rtol = 1e-3}).ok);
  EXPECT_TRUE(compare(floats({1, 100}), floats({1.02f, 100}), {.rtol = 0.0, .atol = 0.03}).ok);
  EXPECT_FALSE(compare(floats({0, 0}), floats({0, 1e-30f})).ok);
  EXPECT_TRUE(compare(floats({}), floats({})).ok);
}

TEST(Compare, NanAndInfinity) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare(floats({nan, inf, -inf}), floats({-nan, inf, -inf})).ok);
  EXPECT_FALSE(compare(floats({nan}), floats({0})).ok);
  EXPECT_FALSE(compare(floats({0}), floats({nan})).ok);
  EXPECT_FALSE(compare(floats({inf}), floats({-inf})).ok);
  EXPECT_FALSE(compare(floats({inf}), floats({3e38f})).ok);
  EXPECT_FALSE(compare(floats({1}), floats({inf})).ok);
  EXPECT_EQ(compare(floats({inf, 2}), floats({inf, 2})).max_expected, 2);
}

TEST(Compare, IntegersAndBoolsExactly) {
  using I = std::vector<int64_t>;
  EXPECT_TRUE(compare(tensor<int64_t>(DType::i64, I{INT64_MAX, INT64_MIN}),
                      tensor<int64_t>(DType::i64, I{INT64_MAX, INT64_MIN}))
                  .ok);
  EXPECT_FALSE(compare(tensor<int64_t>(DType::i64, I{INT64_MAX}), tensor<int64_t>(DType::i64, I{INT64_MAX - 1})).ok);
  using U = std::vector<uint64_t>;
  EXPECT_FALSE(
      compare(tensor<uint64_t>(DType::u64, U{UINT64_MAX}), tensor<uint64_t>(DType::u64, U{UINT64_MAX - 1})).ok);
  using B = std::vector<uint8_t>;
  EXPECT_FALSE(compare(tensor<uint8_t>(DType::boolean, B{1, 0}), tensor<uint8_t>(DType::boolean, B{1, 1})).ok);
}

TEST(Compare, NarrowFloatsAllowTheirOwnRounding) {
  using H = std::vector<uint16_t>;
  const Tensor one = tensor<uint16_t>(DType::f16, H{0x3C00}), next = tensor<uint16_t>(DType::f16, H{0x3C01}),
               far = tensor<uint16_t>(DType::f16, H{0x3C03});
  EXPECT_TRUE(compare(tensor<uint16_t>(DType::f16, H{0x3C00}), next).ok);
  EXPECT_FALSE(compare(tensor<uint16_t>(DType::f16, H{0x3C00}), far).ok);
  EXPECT_TRUE(compare(tensor<uint16_t>(DType::bf16, H{0x3F80}), tensor<uint16_t>(DType::bf16, H{0x3F81})).ok);
  EXPECT_FALSE(compare(tensor<uint16_t>(DType::bf16, H{0x3F80}), tensor<uint16_t>(DType::bf16, H{0x3F84})).ok);
}

TEST(Compare, TypesShapesAndCounts) {
  EXPECT_EQ(compare(floats({1}), tensor<int32_t>(DType::i32, {1})).reason, "has type int32, expected float32");
  EXPECT_EQ(compare(floats({1, 2}), floats({1})).reason, "has shape [1], expected [2]");
  std::vector<ExpectedOutput> expected(2);
  std::vector<Tensor> actual(1);
  EXPECT_FALSE(compare_outputs(expected, actual).ok());
  EXPECT_EQ(compare_outputs(expected, actual).reason, "the model has 1 outputs, expected 2");
}

TEST(Compare, EveryNthElement) {
  const Tensor actual = floats({0, 1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(compare_output({"y", floats({0, 3, 6}), {7}, 3}, actual.view()).ok);
  const OutputReport report = compare_output({"y", floats({0, 3, 7}), {7}, 3}, actual.view());
  EXPECT_EQ(report.worst, 6);
  EXPECT_FALSE(compare_output({"y", floats({0, 3}), {7}, 3}, actual.view()).ok);
  EXPECT_FALSE(compare_output({"y", floats({0, 3, 6}), {8}, 3}, actual.view()).ok);
}

class TestCaseFiles : public testing::Test {
 protected:
  TestCaseFiles() {
    write_package(directory_.file("p"), two_step_plan(), kTwoStepSource, kTwoStepWeights);
    Tensor x(DType::f32, {2, 4}), y(DType::f32, {2, 4});
    for (int i = 0; i < 8; i++) x.as<float>()[i] = float(i);
    for (int i = 0; i < 8; i++) y.as<float>()[i] = (float(i) + kTwoStepWeights[size_t(i % 4)]) * 2;
    write_npy(directory_.file("x.npy"), x.view());
    write_npy(directory_.file("y.npy"), y.view());
  }

  VerifyReport run(const std::string& io) {
    write_text(directory_.file("io.json"), io);
    Session session(Executable::load(directory_.file("p")), {.threads = 1});
    return verify(session, read_test_case(directory_.path(), session.plan()));
  }

  TempDirectory directory_;
};

TEST_F(TestCaseFiles, AgreesByNameOrPosition) {
  EXPECT_TRUE(run(R"({"inputs":[{"name":"x","file":"x.npy"}],"outputs":[{"name":"y","file":"y.npy"}]})").ok());
  EXPECT_TRUE(run(R"({"inputs":[{"name":"a","file":"x.npy"}],"outputs":[{"name":"b","file":"y.npy"}]})").ok());
  const VerifyReport report =
      run(R"({"inputs":[{"name":"x","file":"x.npy"}],"outputs":[{"name":"y","file":"x.npy"}]})");
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.text().substr(0, 7), "FAIL y:");
}

TEST_F(TestCaseFiles, OnlyShortFilesListTensors) {
  const auto error_of = [&](const std::string& folder) -> std::string {
    try {
      read_test_case(folder, two_step_plan());
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  write_text(directory_.file("io.json"), "{}");
  std::filesystem::resize_file(directory_.file("io.json"), uintmax_t{1} << 40);
  EXPECT_NE(error_of(directory_.path()).find("io.json' has 1099511627776 bytes; at most 67108864 are read"),
            std::string::npos);
  std::filesystem::remove(directory_.file("io.json"));
  ASSERT_EQ(::mkfifo(directory_.file("io.json").c_str(), 0600), 0);
  EXPECT_NE(error_of(directory_.path()).find("io.json' is not a regular file"), std::string::npos);
}

TEST_F(TestCaseFiles, FlatStep) {
  write_npy(directory_.file("y3.npy"), floats({2, 14, 18}).view());
  EXPECT_TRUE(run(R"({"inputs":[{"name":"x","file":"x.npy"}],
                      "outputs":[{"name":"y","file":"y3.npy","shape":[2,4],"flat_step":3}]})")
                  .ok());
}

TEST_F(TestCaseFiles, WhatIsWrittenIsReadAgain) {
  Plan plan = two_step_plan();
  plan.inputs[0].name = "../x", plan.outputs[0].name = "\xff";
  Tensor x(DType::f32, {1, 4}), y(DType::f32, {1, 4});
  std::iota(x.as<float>(), x.as<float>() + 4, 1.f);
  std::iota(y.as<float>(), y.as<float>() + 4, 5.f);
  const std::string folder = directory_.file("a/b");
  write_test_case(folder, plan, {&x, 1}, {&y, 1});
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"in_0.npy", output_file_stem(0) + ".npy", "io.json"}));
  const TestCase read = read_test_case(folder, plan);
  EXPECT_EQ(std::memcmp(read.inputs[0].data(), x.data(), 16), 0);
  EXPECT_TRUE(compare_outputs(read.outputs, {&y, 1}).ok());
  EXPECT_EQ(read.outputs[0].dims, y.dims());
  EXPECT_THROW(write_test_case(folder + "/io.json/c", plan, {&x, 1}, {&y, 1}), UserError);
}

TEST_F(TestCaseFiles, Refusals) {
  EXPECT_THROW(run("nonsense"), UserError);
  EXPECT_THROW(run("{}"), UserError);
  EXPECT_THROW(run(R"({"inputs":[],"outputs":[]})"), UserError);
  EXPECT_THROW(run(R"({"inputs":[{"name":"x"}],"outputs":[]})"), UserError);
  EXPECT_THROW(run(R"({"inputs":[{"name":"x","file":"../x.npy"}],"outputs":[]})"), UserError);
  EXPECT_FALSE(run(R"({"inputs":[{"name":"x","file":"x.npy"}],"outputs":[]})").ok());
}

TEST(RandomInputs, AreReproducibleAndSensible) {
  Plan plan = two_step_plan();
  plan.inputs.push_back({"ids", DType::i64, {num(1000)}, 50});
  plan.inputs.push_back({"mask", DType::boolean, {num(1000)}, 0});
  plan.inputs.push_back({"half", DType::f16, {num(1000)}, 0});
  plan.inputs.push_back({"count", DType::i32, {num(1000)}, 0});
  const auto inputs = random_inputs(plan, {{"N", 5000}}, 3), again = random_inputs(plan, {{"N", 5000}}, 3);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < 20000; i++) {
    const double x = inputs[0].as<float>()[i];
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
  for (size_t i = 0; i < inputs.size(); i++)
    EXPECT_EQ(std::memcmp(inputs[i].data(), again[i].data(), size_t(inputs[i].bytes())), 0);
  EXPECT_NE(std::memcmp(inputs[0].data(), random_inputs(plan, {{"N", 5000}}, 4)[0].data(), 80000), 0);
  EXPECT_EQ(inputs[0].as<float>()[0], random_inputs(plan, {{"N", 1}}, 3)[0].as<float>()[0]);
  bool low = false, high = false;
  for (int64_t i = 0; i < 1000; i++) {
    const int64_t id = inputs[1].as<int64_t>()[i];
    ASSERT_TRUE(id >= 0 && id < 50);
    low |= id == 0;
    high |= id == 49;
    ASSERT_LE(inputs[2].as<uint8_t>()[i], 1);
    ASSERT_LT(inputs[3].as<uint16_t>()[i] & 0x7FFF, 0x4700);  // magnitudes below 7
    ASSERT_TRUE(inputs[4].as<int32_t>()[i] == 0 || inputs[4].as<int32_t>()[i] == 1);
  }
  EXPECT_TRUE(low && high);
  EXPECT_THROW(random_inputs(plan, {}, 0), UserError);
  EXPECT_THROW(random_inputs(plan, {{"N", 1}, {"M", 2}}, 0), UserError);
  EXPECT_THROW(random_inputs(plan, {{"N", -1}}, 0), UserError);
}

// The same numbers on every machine: these were drawn once.
TEST(RandomInputs, KnownValues) {
  const auto inputs = random_inputs(two_step_plan(), {{"N", 1}}, 0);
  const float* x = inputs[0].as<float>();
  EXPECT_EQ((std::vector<float>{x[0], x[1], x[2], x[3]}),
            (std::vector<float>{0x1.0eep-4f, 0x1.a96p-4f, -0x1.1583p+0f, -0x1.09acp-2f}));
}

}  // namespace
}  // namespace cppgen::rt::test
