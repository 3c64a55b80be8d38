#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/contenders/onednn_graph.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"
#include "runtime/plan/plan.h"

namespace cppgen {

struct ReadyRun;

// The times that oneDNN takes for the nodes of a plan's steps.
struct OnednnTimes {
  // Steps of the plan and steps of oneDNN that compute the same nodes. Where the two divide the nodes differently, a
  // region has several steps of either.
  struct Region {
    std::vector<size_t> steps;  // of the plan, ascending
    double ms = 0;              // of oneDNN's steps, in one run
  };
  std::vector<Region> regions;
  std::vector<std::optional<size_t>> region_of_step;  // none: oneDNN has no step for the nodes
  double other_ms = 0;                                // of its reorders, and of nodes that no step of the plan names
  double median_ms = 0;                               // of whole runs
  int64_t runs = 0;
};

// Everything except for the whole runs.
OnednnTimes match_steps(const rt::Plan&, const std::vector<contenders::StepReport>&);

// Runs the model of the options on oneDNN, on as many threads and with the same inputs, as long as the options say.
// UserError if an input is no tensor or a dimension has no size.
OnednnTimes times_on_onednn(const TimedOptions&, const Settings&, const ReadyRun&, const CancelToken&);

}  // namespace cppgen
