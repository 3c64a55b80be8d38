#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/compile/compile_options.h"
#include "cppgen/compile/peaks.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/trace/trace.h"
#include "cppgen/graph/graph.h"
#include "cppgen/passes/options.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"
#include "isa/vec_isa.h"
#include "runtime/base/machine.h"
#include "runtime/custom/description.h"

namespace cppgen {

// Throws Cancelled if the request's token is set, UserError if COMPILE_TIMEOUT_SECONDS have passed since its `begin`.
void poll(const CompileRequest&);
std::string timeout_text(const CompileRequest&);

// Seconds per named stage, in order of first use, and of their parts. Polls the request, if there is one, before each
// stage.
class StageClock {
 public:
  explicit StageClock(const CompileRequest* request = nullptr) : request_(request) {}
  template <class F>
  auto time(const char* stage, F&& work) {
    if (request_) poll(*request_);
    double start = now();
    stage_ = stage, part_start_ = start;
    struct Stop {
      StageClock& clock;
      const char* stage;
      double start;
      ~Stop() {
        const double end = now();
        clock.add(stage, end - start);
        clock.spans_.push_back({stage, "", start, end});
      }
    } stop{*this, stage, start};
    return work();
  }
  void add(const std::string& stage, double seconds);
  // Within time(), ends a part of the stage, which began with the stage or with the end of the part before it.
  void part(const std::string& name);
  const std::vector<StagePart>& parts() const { return parts_; }
  const std::vector<StageSpan>& spans() const { return spans_; }  // in the order in which they ended
  double of(const std::string& stage) const;
  const std::vector<std::pair<std::string, double>>& stages() const { return stages_; }
  static double now();  // seconds, steady

 private:
  const CompileRequest* request_;
  std::vector<std::pair<std::string, double>> stages_;
  std::vector<StagePart> parts_;
  std::vector<StageSpan> spans_;
  std::string stage_;
  double part_start_ = 0;
};

// The individual stages of the flow; each takes the result of the previous one. compiler.cpp and model_build.cpp define
// their order.
std::string custom_operator_paths(const CompileRequest&);  // all of them, in the format of CUSTOM_OPS
Graph import_model(const CompileRequest&, const std::vector<rt::CustomFile>&, ImportRecord* = nullptr);
passes::PassOptions pass_options(const Graph&, const Settings&);  // of the graph passes, without a listener
void simplify(Graph&, const CompileRequest&, Trace* = nullptr, StageClock* = nullptr);
Graph read_and_simplify(const CompileRequest&, StageClock&, Trace* = nullptr);  // these two
// Ignores values of other tools' variables that are not ours, with a warning in Settings::warnings.
void refuse_foreign_texts(Settings&);
schedule::Options schedule_options(const Settings&);  // without choices
// With the choices of the request, or the stored results of tunings.
schedule::Options schedule_options(const CompileRequest&, const VecISA&);
// UserError, as a compilation would give it, for values that can be judged without a model and a compiler.
void check_settings(const Settings&);
int64_t cache_class(int64_t bytes);  // of a cache, as used in schedules and keys
schedule::Target target_of(const VecISA&, const MachineDescription&);
// Gives the target the constants of TUNING and COSTS. UserError for one, or a value of it, that is not allowed.
void replace_numbers(schedule::Target&, const Settings&);
// This machine, with these constants.
schedule::Target target_of(const VecISA&, const Settings&);
CompileOptions compile_options(const CompileRequest&);

// The target of the schedule: the machine that compiles.
const MachineDescription& this_machine();

// The request for the peaks of this machine (compile/peaks.h). UserError if the compiler is missing.
PeaksRequest peaks_request(const VecISA&, int threads, const Settings&);

// Emits every kernel of the schedule, in order.
std::vector<codegen::KernelText> emit_kernels(const schedule::Schedule&, const schedule::Target&, const Settings&);

}  // namespace cppgen
