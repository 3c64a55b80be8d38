// Whatever schedules there are, their texts are read back: those of random graphs and of every operator's samples,
// after each pass. What is read is the same to the passes that follow: they make the same schedule of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/forms/forms.h"
#include "cppgen/graph/graph_text.h"
#include "cppgen/ops/op.h"
#include "cppgen/partition/partition.h"
#include "cppgen/schedule/pipeline.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "tests/differential/case_text.h"
#include "tests/property/random_graph.h"
#include "tests/text/times.h"

namespace cppgen {
namespace {

using schedule_text::read_schedule;
using schedule_text::TargetedDraft;
using schedule_text::to_text;

// The lines, each with its letters in alphabetical order and without the numbers of loops: passes number new loops
// behind those that they find, and the names of loops give terms their order.
std::string without_names(const std::string& text) {
  static const std::regex number("\\b([ac-z]|acc|at|row)[0-9]+\\b");
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line); result += line + "\n") {
    line = std::regex_replace(line, number, "$1");
    std::sort(line.begin(), line.end());
  }
  return result;
}

class ScheduleRoundTrip : public testing::Test {
 protected:
  // Every instruction set in its turn.
  static schedule::Target target(uint64_t seed) {
    return target_of(all_isas()[seed % all_isas().size()], MachineDescription());
  }

  static std::string read_back(const std::string& text) {
    try {
      return to_text(read_schedule(text, "printed", forms::plan_text));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
      return text;
    }
  }

  // Checks after each pass. The passes behind number `cut` also run over what is read there.
  static void check(const ir::Program& program, const schedule::Target& target, size_t cut) {
    const schedule::Options options;
    schedule::Draft draft(options, target);
    draft.schedule.program = program;
    schedule::run_passes(schedule::fusion_passes(), draft);
    std::string cut_text;
    for (const schedule::Pass& pass : schedule::kernel_passes()) {
      SCOPED_TRACE(pass.name);
      schedule::run_passes({&pass, 1}, draft);
      if (draft.after.empty()) continue;
      const bool last = draft.after == "choose_register_tiles";
      const std::string text = to_text({target, draft, last ? forms::plan_text : schedule_text::PlanText()});
      EXPECT_EQ(read_back(text), text);
      if (&pass == &schedule::kernel_passes()[cut]) cut_text = text;
      if (HasFailure()) return;
    }
    EXPECT_EQ(without_names(finished(cut_text, cut)), without_names(to_text({target, draft}))) << cut_text;
  }

 private:
  // The text behind all passes after number `cut`, which has made this text.
  static std::string finished(const std::string& text, size_t cut) {
    TargetedDraft read = read_schedule(text, "printed", forms::plan_text);
    const schedule::Options options;
    schedule::Draft draft(options, read.target, std::move(read.draft));
    schedule::run_passes(schedule::kernel_passes().subspan(cut + 1), draft);
    return to_text({read.target, draft});
  }
};

size_t cut_of(uint64_t seed) { return seed % schedule::kernel_passes().size(); }

TEST_F(ScheduleRoundTrip, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 40 * times() && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    property::RandomGraph random = property::make_random_graph(seed);
    EXPECT_NO_THROW(check(ops::lower(random.graph, {.library = true}), target(seed), cut_of(seed)))
        << graph_text(random.graph);
  }
}

TEST_F(ScheduleRoundTrip, SamplesOfAllOperators) {
  std::vector<differential::Sample> samples = differential::all_samples();
  for (size_t i = sample_step() / 2; i < samples.size() && !HasFailure(); i += sample_step()) {
    SCOPED_TRACE(samples[i].row->op + (": " + samples[i].text));
    if (partition::is_one_plan(samples[i].graph))
      check(ops::lower(samples[i].graph, {.library = true}), target(i), cut_of(i / sample_step()));
  }
}

}  // namespace
}  // namespace cppgen
