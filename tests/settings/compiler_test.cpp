// Settings of the target and the compiler.
#include <nlohmann/json.hpp>

#include "isa/vec_isa.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;

std::string best() { return std::string(best_isa(detect_cpu_features()).name); }

TEST_F(SettingEffect, CXX) {
  const std::string model = relu();
  expect_effect<bool>(
      compiler(),
      [&] {
        succeed_anew({"run", model});
        return !commands().empty();
      },
      false, true);
}

TEST_F(SettingEffect, COMPILER_OPT) {
  use_compiler();
  const std::string model = relu();
  const auto level = [&] {
    succeed_anew({"run", model});
    const std::string command = commands().at(0);
    const size_t at = command.find("-O");
    return command.substr(at, command.find(' ', at) - at);
  };
  expect_effect<std::string>("-O1", level, "-O3", "-O1");
}

TEST_F(SettingEffect, ISA) {
  const std::string model = relu();
  const auto ran = [&] { return json::parse(succeed({"run", model, "--json"}).out)["isa"].get<std::string>(); };
  expect_effect<std::string>("scalar", ran, best(), "scalar");
}

TEST_F(SettingEffect, SIMDLEN) {
  const std::string model = relu();
  const auto ran = [&] { return json::parse(succeed({"run", model, "--json"}).out)["isa"].get<std::string>(); };
  expect_effect<std::string>("1", ran, best(), "scalar");
  if (detect_cpu_features().has_all(find_isa("avx2")->required)) expect_effect<std::string>("256", ran, best(), "avx2");
}

// What ran, and how many probes were compiled.
TEST_F(SettingEffect, VEC_ISA_OK) {
  environment["CPPGEN_CXX"] = compiler();
  const std::string model = relu();
  using Seen = std::pair<std::string, long>;
  const auto see = [&] {
    const std::string isa = json::parse(succeed_anew({"run", model, "--json"}).out)["isa"];
    const auto all = commands();
    return Seen(isa, std::count_if(all.begin(), all.end(), [](auto& c) { return c.find("probe.cpp") != c.npos; }));
  };
  const Seen by_default(best(), best() == "scalar" ? 0 : 1);
  expect_effect<Seen>("0", see, by_default, {"scalar", 0});
  expect_effect<Seen>("1", see, by_default, {best(), 0});
}

}  // namespace
}  // namespace cppgen
