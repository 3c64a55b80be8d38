// The setting that skips passes.
#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

// A pass over the graph, and two over the schedule: whether equal nodes are merged, and whether nests are
// inlined.
TEST_F(SettingEffect, DISABLE_PASSES) {
  ModelMaker maker;
  maker.input("x", {"64", "32"}).output("y").node("Exp", {"x"}, {"a"}, "first");
  maker.node("Exp", {"x"}, {"b"}, "second");
  maker.node("Add", {"a", "b"}, {"y"}, "sum");
  const std::string model = write("twice.onnx", maker);
  using Seen = std::pair<bool, bool>;
  const auto see = [&] {
    const auto report = nlohmann::json::parse(succeed({"explain", model, "--json"}).out);
    const auto is_inlined = [](const auto& d) { return d["rule"] == "inline" && d["fused"]; };
    return Seen(report["steps"].dump().find("second") == std::string::npos,
                std::any_of(report["decisions"].begin(), report["decisions"].end(), is_inlined));
  };
  expect_effect<Seen>("eliminate_common_subexpressions", see, {true, true}, {false, true});
  expect_effect<Seen>("inline_single_use, inline_cheap", see, {true, true}, {true, false});
}

std::string error_of(const std::string& names) {
  Settings settings;
  try {
    settings.set("DISABLE_PASSES", names);
    schedule_options(settings);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(DisablePasses, NamesOfNeededAndOfUnknownPassesAreErrors) {
  const std::string others = "; passes that can be disabled: fold_constants, canonicalize, ";
  EXPECT_EQ(error_of("canonicalize,merge_rows"), "");
  EXPECT_TRUE(error_of("canonicalize,infer_types")
                  .starts_with("option DISABLE_PASSES: every compilation needs the pass \"infer_types\"" + others))
      << error_of("infer_types");
  EXPECT_TRUE(error_of("make_step").starts_with("option DISABLE_PASSES: there is no pass \"make_step\"" + others));
  EXPECT_TRUE(error_of("make_step").ends_with(", merge_rows, choose_register_tiles"));
}

}  // namespace
}  // namespace cppgen
