#include "cppgen/schedule/schedule.h"

#include "cppgen/schedule/pipeline.h"

namespace cppgen::schedule {

void fuse(Program& program, const Options& options, const Target& target, DecisionLog& log, const Trace& trace) {
  Draft draft{options, target};
  draft.program() = std::move(program), draft.log() = std::move(log);
  for (const auto passes : {program_passes(), fusion_passes()}) run_passes(passes, draft, trace);
  program = std::move(draft.program()), log = std::move(draft.log());
}

Schedule make_schedule(Program program, const Options& options, const Target& target, const Trace& trace) {
  Draft draft{options, target};
  draft.program() = std::move(program);
  for (const auto passes : {program_passes(), fusion_passes(), kernel_passes()}) run_passes(passes, draft, trace);
  return std::move(draft.schedule);
}

Schedule schedule_part(Program program, const Options& options, const Target& target) {
  Draft draft{options, target};
  draft.program() = std::move(program);
  for (const auto passes : {fusion_passes(), kernel_passes()}) run_passes(passes, draft);
  return std::move(draft.schedule);
}

}  // namespace cppgen::schedule
