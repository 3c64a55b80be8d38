// Settings of how Concat is computed.
#include <nlohmann/json.hpp>

#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;

// y = Tanh(Concat of `count` inputs along the last axis)
std::string model_of_concat(const TempFolder& folder, int count) {
  ModelMaker maker;
  std::vector<std::string> inputs;
  for (int i = 0; i < count; i++) {
    inputs.push_back("x" + std::to_string(i));
    maker.input(inputs.back(), {"37", std::to_string(5 + 2 * i)});
  }
  auto& axis = *maker.node("Concat", inputs, {"c"}).add_attribute();
  axis.set_name("axis"), axis.set_type(onnx::AttributeProto::INT), axis.set_i(1);
  maker.output("y").node("Tanh", {"c"}, {"y"});
  return folder.write("concat.onnx", maker.bytes());
}

// The numbers of kernels for Concat of 2, 3 and 9 inputs: each copy of an input is one, Tanh another one.
using Kernels = std::vector<int64_t>;

Kernels kernels_of_concats(const TempFolder& folder, const std::function<std::string(const std::string& model)>& run) {
  Kernels found;
  for (int count : {2, 3, 9})
    found.push_back(json::parse(run(model_of_concat(folder, count)))["step_counts"]["compiled"]);
  return found;
}

TEST_F(SettingEffect, MAX_POINTWISE_CAT_INPUTS) {
  const auto kernels = [&] {
    return kernels_of_concats(folder, [&](const std::string& model) {
      std::filesystem::remove_all(path("reference"));
      EXPECT_EQ(verified(model), 0);
      return succeed({"run", model, "--json"}).out;
    });
  };
  expect_effect<Kernels>("2", kernels, {3, 4, 10}, {1, 4, 10});
  expect_effect<Kernels>("8", kernels, {3, 4, 10}, {1, 1, 10});
}

TEST_F(SettingEffect, FORCE_POINTWISE_CAT) {
  const auto kernels = [&] {
    return kernels_of_concats(folder, [&](const std::string& model) {
      std::filesystem::remove_all(path("reference"));
      EXPECT_EQ(verified(model), 0);
      return succeed({"run", model, "--json"}).out;
    });
  };
  expect_effect<Kernels>("1", kernels, {3, 4, 10}, {1, 1, 1});
}

}  // namespace
}  // namespace cppgen
