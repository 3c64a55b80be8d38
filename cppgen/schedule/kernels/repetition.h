#pragma once
#include <vector>

#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

// Schedules the body of a repetition by itself, as a program whose inputs and outputs are what others share with it.
// Adds its buffers, layouts and packed constants to the schedule, and returns its steps: those that are the same for
// all steps of the repetition, in front of it, and then the repetition. `name` is unique in the schedule.
std::vector<ScheduledStep> schedule_repetition(Schedule&, const ir::Repetition&, const Uses&, const Options&,
                                               const Target&, const std::string& name);

}  // namespace cppgen::schedule
