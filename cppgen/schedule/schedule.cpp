#include "cppgen/schedule/schedule.h"

#include "cppgen/schedule/pipeline.h"

namespace cppgen::schedule {

void fuse(Program& program, const Options& options, const Target& target, DecisionLog& log, const Trace& trace) {
  Draft draft{options, target};
  draft.program() = std::move(program), draft.log() = std::move(log);
  run_passes(fusion_passes(), draft, trace);
  program = std::move(draft.program()), log = std::move(draft.log());
}

Schedule make_schedule(Program program, const Options& options, const Target& target, const Trace& trace) {
  Draft draft{options, target};
  draft.program() = std::move(program);
  run_passes(fusion_passes(), draft, trace);
  run_passes(kernel_passes(), draft, trace);
  return std::move(draft.schedule);
}

}  // namespace cppgen::schedule
