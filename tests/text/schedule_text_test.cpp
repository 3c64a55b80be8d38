// Texts of schedules that are wrong.
#include "cppgen/schedule_text/schedule_text.h"

#include <gtest/gtest.h>

#include <random>

#include "cppgen/forms/forms.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr const char* kProgram = R"(program
b0 input float32 [N, 8] "x"
b1 output float32 [N, 8] "y"
nest exp  # from "y"
  for i0 < N, i1 < 8
  b1[i0, i1] = exp(b0[i0, i1])
inputs b0
outputs b1
target {isa = scalar, l2_bytes = 1048576, l3_bytes = 0, bf16_dot_speed = 0.0}
)";

const std::string kKernel = R"(kernel {
  name = k0_exp
  origins = ["y"]
  outer = [i2 < 8*N]
  segment {
    b1[floordiv(i2, 8), mod(i2, 8)] = exp(b0[floordiv(i2, 8), mod(i2, 8)])
  }
  inputs = [b0]
  outputs = [b1]
}
)";

std::string with(const std::string& entries, const std::string& after = "make_steps") {
  return "schedule after " + after + "\n" + kProgram + entries;
}

std::string printed(const std::string& text) {
  return to_text(schedule_text::read_schedule(text, "f", forms::plan_text));
}

std::string error_of(const std::string& text) {
  try {
    schedule_text::read_schedule(text, "f", forms::plan_text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(ScheduleText, UnusualCostsAreReadBack) {
  const auto of_costs = [](const std::string& costs) {
    return replaced(with(kKernel), "bf16_dot_speed = 0.0", "bf16_dot_speed = 0.0, costs = \"" + costs + "\"");
  };
  EXPECT_EQ(printed(of_costs("overlap=2.25")), of_costs("overlap=2.25"));
  EXPECT_EQ(printed(of_costs("function=24")), with(kKernel)) << "the usual value";
  EXPECT_TRUE(error_of(of_costs("speed=1")).ends_with("there is no constant 'speed' in cppgen/schedule/costs.def"));
}

TEST(ScheduleText, IsReadBack) {
  EXPECT_EQ(printed(with(kKernel)), with(kKernel));
  EXPECT_EQ(printed(with("", "plan_layouts")), with("", "plan_layouts"));
  const std::string layouts = "layout {buffer = b1, order = [0, 1]}\n";
  EXPECT_EQ(printed(with(layouts, "plan_layouts")), with("", "plan_layouts")) << "it is the usual one";
}

TEST(ScheduleText, PlansAreThoseOfTheirKernels) {
  schedule_text::TargetedDraft read = schedule_text::read_schedule(with(kKernel), "f", forms::plan_text);
  read.plans = forms::plan_text;
  const std::string text = to_text(read);
  EXPECT_NE(text.find("  plan columns {\n    units = "), text.npos) << text;
  EXPECT_EQ(printed(text), text);
  const std::string error = error_of(replaced(text, "plan columns", "plan rows"));
  EXPECT_EQ(error.substr(error.find(": ")), ": the plan of k0_exp has 'columns' here");
}

TEST(ScheduleErrors, HavePlaces) {
  EXPECT_EQ(error_of("schedule before make_steps"), "f:1:10: expected 'program', found 'before'");
  EXPECT_NE(error_of("schedule after lower").find("f:1:16: expected one of fold_taps_into_k, turn_products, "),
            std::string::npos);
  EXPECT_EQ(error_of(replaced(with(""), "isa = scalar", "isa = avx3")), "f:10:15: there is no instruction set 'avx3'");
  EXPECT_EQ(error_of(replaced(with(""), "isa = scalar, ", "")), "f:10:9: expected 'isa', found 'l2_bytes'");
  const auto with_local = [](const std::string& local) {
    return replaced(with(kKernel), "  inputs", "  local {" + local + "}\n  inputs");
  };
  EXPECT_EQ(error_of(with_local("buffer = b0, place = shelf")),
            "f:18:31: expected one of memory, row, value, found 'shelf'");
  EXPECT_EQ(error_of(with_local("buffer = b0, site = row")), "f:18:23: expected 'place', found 'site'");
  EXPECT_EQ(error_of(replaced(with(kKernel), "outputs = [b1]", "output = [b1]")),
            "f:19:3: expected outputs, reads_back, non_temporal, site, tuning, plan or '}', found 'output'");
  EXPECT_EQ(error_of(replaced(with(kKernel), "[floordiv(i2", "[floordiv(i3")),
            "f:16:17: there is no symbol and no loop \"i3\"");
  EXPECT_EQ(error_of(with(kKernel + "layout {buffer = b0}\n")).substr(0, 24), "f:21:1: expected kernel,");
}

TEST(ScheduleErrors, RulesOfSchedules) {
  EXPECT_EQ(error_of(replaced(with(kKernel), "inputs = [b0]", "")),
            "f:1:1: schedule, the kernel k0_exp: its inputs are not what it reads");
  EXPECT_EQ(error_of(with("")), "f:1:1: schedule, the results: b1 is read before it is stored");
  EXPECT_EQ(error_of(with("group {statements = [1]}\n", "group_statements")),
            "f:1:1: the statement 1 is not in one group");
  EXPECT_EQ(error_of(with("", "group_statements")), "f:1:1: not every statement is in a group");
  EXPECT_EQ(error_of(with("choice {statement = 0, engine = cppgen}\n", "choose_engines")),
            "f:1:1: the statement 0 has an engine but is no contraction");
  EXPECT_EQ(error_of(with("layout {buffer = b0, order = [0, -2]}\n", "plan_layouts")),
            "f:1:1: schedule, the layouts: the layout of b0 does not name each of its 2 dimensions once");
  EXPECT_EQ(error_of(with("choice {statement = 0, engine = cppgen}\n", "plan_layouts")),
            "f:11:21: there is no statement 0 of this kind");
}

TEST(ScheduleErrors, DamagedTexts) {
  const std::string text = with(kKernel), letters = "\"[](){},:=<-+* \n0129.eNbtifx";
  std::mt19937 random(1);
  for (size_t i = 0; i < text.size(); i++) {
    for (int k = 0; k < 8; k++) {
      std::string changed = text;
      changed[i] = letters[random() % letters.size()];
      if (random() % 3 == 0) changed.erase(random() % changed.size(), 1 + random() % 4);
      if (error_of(changed) != "none") continue;
      EXPECT_EQ(printed(printed(changed)), printed(changed)) << changed;
    }
  }
}

}  // namespace
}  // namespace cppgen
