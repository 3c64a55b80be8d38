// Random numbers have the same bits compiled and interpreted, in every type and for every instruction set.
#include "tests/ops/compiled/compiled_case.h"

namespace cppgen::ops_test {
namespace {

using property::Case;

constexpr int64_t kOnnxFloat = 1, kOnnxHalf = 10, kOnnxDouble = 11, kOnnxBfloat = 16;

TEST(RandomCompiled, UniformAndNormalInEveryTypeAndAroundVectors) {
  std::vector<Case> cases;
  for (int64_t type : {kOnnxFloat, kOnnxHalf, kOnnxDouble, kOnnxBfloat})
    for (const char* op : {"RandomUniform", "RandomNormal"})
      for (std::vector<int64_t> shape : {std::vector<int64_t>{3, 37}, {1}, {64, 65}}) {
        NodeCase c{op, 22, {{"shape", shape}, {"dtype", integer(type)}}};
        cases.push_back(compiled_case(c));
      }
  property::expect_cases_agree(cases);
}

TEST(RandomCompiled, BernoulliMultinomialAndDropout) {
  std::vector<Case> cases;
  HostTensor x = ramp({5, 33}), ratio = tensor<float>({}, {0.25f}), yes = tensor<bool>({}, {true});
  cases.push_back(compiled_case({"Bernoulli", 15, {{"seed", 3.0f}}, {x}}));
  cases.push_back(compiled_case({"Bernoulli", 15, {{"dtype", integer(7)}}, {x}}));
  cases.push_back(compiled_case({"Multinomial", 7, {{"sample_size", integer(11)}}, {x}}));
  NodeCase dropout{"Dropout", 13, {}, {x, ratio, yes}};
  dropout.outputs = 2;
  cases.push_back(compiled_case(dropout));
  dropout.constant = {false, true, true};
  cases.push_back(compiled_case(dropout));
  property::expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::ops_test
