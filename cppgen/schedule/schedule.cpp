#include "cppgen/schedule/schedule.h"

#include "cppgen/schedule/pipeline.h"
#include "cppgen/schedule/site.h"

namespace cppgen::schedule {
namespace {

// Applies the choice for the whole program, which its site depends on: the target with the constants that are chosen.
Target choose_for_program(Draft& draft) {
  Target target = draft.target;
  if (!draft.options.choices) return target;
  Schedule& schedule = draft.schedule;
  schedule.site = site_of_program(schedule.program);
  const Choice& choice = choice_for(draft.options.choices.get(), schedule.site);
  schedule.tuning = draft.tuning(choice);
  if (schedule.tuning) target.tuning = *schedule.tuning;
  if (choice != Choice()) schedule.log.add("tuning", schedule.site, FusionDecision::yes(to_string(choice)));
  return target;
}

}  // namespace

const Tuning& tuning_of(const Schedule& schedule, const Target& target) {
  return schedule.tuning ? *schedule.tuning : target.tuning;
}

void fuse(Program& program, const Options& options, const Target& target, DecisionLog& log, const Trace& trace) {
  Draft draft{options, target};
  draft.program() = std::move(program), draft.log() = std::move(log);
  for (const auto passes : {program_passes(), fusion_passes()}) run_passes(passes, draft, trace);
  program = std::move(draft.program()), log = std::move(draft.log());
}

Schedule make_schedule(Program program, const Options& options, const Target& target, const Trace& trace) {
  Draft whole{options, target};
  whole.program() = std::move(program);
  run_passes(program_passes(), whole, trace);
  const Target chosen = choose_for_program(whole);
  Draft draft{options, chosen, std::move(whole)};
  for (const auto passes : {fusion_passes(), kernel_passes()}) run_passes(passes, draft, trace);
  return std::move(draft.schedule);
}

Schedule schedule_part(Program program, const Options& options, const Target& target) {
  Draft draft{options, target};
  draft.program() = std::move(program);
  for (const auto passes : {fusion_passes(), kernel_passes()}) run_passes(passes, draft);
  return std::move(draft.schedule);
}

}  // namespace cppgen::schedule
