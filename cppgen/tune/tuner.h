#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/support/load_meter.h"

namespace cppgen::tune {

struct TuneRequest {
  CompileRequest compile;
  std::string program = "/proc/self/exe";  // that runs packages: cppgen
  std::vector<std::string> run_dims;       // --dim NAME=N, sizes of dimensions that packages leave open
  std::function<void(const std::string& what, int done, int total)> on_progress = {};
  std::function<void(const std::string& line)> on_line = {};  // LOG_AUTOTUNE
  std::function<void(const std::string& line)> on_note = {};  // what people should know before the report
  // After it no further candidate is measured; those that were are chosen from, within it if that is possible.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  CpuUseSource load = cpu_use;  // empty: whatever else the machine does
};

// A site whose choice is not the usual plan.
struct ChangedSite {
  std::string site, candidate;
  std::vector<std::string> nodes;  // none: the whole program
  double usual_ms = 0, ms = 0;     // of its region, in one run
};

struct TuneReport {
  bool known = false;                    // the results of an earlier tuning of this model hold; nothing was measured
  bool under_load = false;               // other programs disturbed the comparison of whole runs
  bool kept = false;                     // the choices make the whole model faster
  int measured = 0, unchanged = 0;       // candidates; unchanged: they give the same kernels
  std::vector<std::string> dropped;      // candidates that the cost model predicts to be slower everywhere
  std::vector<std::string> hopeless;     // those that earlier tunings measured without a gain (experience.h)
  std::vector<std::string> surprising;   // sites that take much longer than predicted
  std::vector<std::string> failed;       // "NAME: was killed by signal 11 ..."
  std::vector<std::string> interrupted;  // likewise, but not by faults of their own: the next tuning tries them again
  int resumed = 0, considered = 0;       // candidates that an earlier tuning measured, of so many
  bool stopped = false;                  // at the deadline: the next tuning measures the rest
  int left = 0;                          // candidates that were not measured then
  std::vector<std::string> withdrawn;    // sites whose choice of an earlier tuning is no longer faster
  int others = 0;                        // sites that go on using the choice of an earlier tuning
  std::vector<ChangedSite> sites;        // what the fastest candidates are, kept or not
  double usual_ms = 0, ms = 0;           // medians of whole runs, alternating
};

// Measures candidates for the kernels of a model, and stores for each site what was fastest if the model as a whole
// becomes faster. Each candidate is compiled into a package, compared with the usual package (it may be wrong) and
// timed in turns with it, in child processes with the threads of a run; one whose inner loops spill registers that the
// usual plan does not spill loses; steps are timed within whole runs, so weights
// are as cold as they will be. What was stopped by the deadline or by something outside is no verdict about the model:
// another tuning continues there, as after Cancelled. UserError for a model or setting that cannot be compiled.
TuneReport tune_model(const TuneRequest&);

}  // namespace cppgen::tune
