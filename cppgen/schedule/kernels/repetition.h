#pragma once
#include <vector>

#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

// Schedules the body of a repetition by itself, as a program whose inputs and outputs are what others share with it.
// Adds its buffers, layouts and packed constants to the schedule. Returns the steps whose results are the same in all
// iterations, followed by the repetition. `name` must be unique in the schedule.
std::vector<ScheduledStep> schedule_repetition(Schedule&, const ir::Repetition&, const Uses&, const Options&,
                                               const Target&, const std::string& name);

}  // namespace cppgen::schedule
