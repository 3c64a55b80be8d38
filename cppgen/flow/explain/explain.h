#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/peaks.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/costs/run_memory.h"
#include "cppgen/flow/costs/step_bounds.h"
#include "cppgen/flow/costs/stored_profile.h"
#include "cppgen/flow/explain/drawing.h"
#include "cppgen/flow/trace/trace.h"
#include "cppgen/import/summary.h"
#include "cppgen/schedule/layout/layout_report.h"

namespace cppgen {

struct Scaling;

namespace codegen {
struct KernelText;
}

// The output of `explain`: the kernels and the outcome of each decision, without compiling anything.
struct Explanation {
  struct Step {
    std::string name, engine;          // engine "loops", "cppgen", "onednn" ...
    std::vector<std::string> origins;  // nodes of the model
    std::string loops;                 // "i0 < 3136, vector i1 < 64; reduce ..." in readable form
    std::string plan;                  // "columns: blocks of 2048; 25 units of 2048 elements"
    std::string source;                // emitted C++ of the kernel
    std::string repeated;              // how often a run executes the step, if that is part of the plan: "T"
    int kernel = -1;                   // position in Explanation::kernels
    std::string assembly;              // of the kernel, once add_assembly was called
    StepCost cost;
    std::optional<StepBound> bound;  // of one call; none of steps on the host
    StepDivision division;
    double run_bytes = 0;  // what its plan uses in a run, besides arguments
  };
  // A buffer for intermediate values, in the order of offsets in the arena.
  struct Temporary {
    int64_t bytes = 0, offset = 0;
    std::string first_step, last_step;  // that write it first and read it last
    size_t first = 0, last = 0;         // their positions in `steps`
    std::string name;                   // of the model's value
    size_t plan = 0;                    // in Explanation::arenas
  };
  int64_t nodes = 0;                                  // of the model, after the graph passes
  std::vector<ModelSummary::Tensor> inputs, outputs;  // with the dimensions that were inferred or assumed
  RunMemory memory;                                   // on the threads of a run
  std::vector<int64_t> arenas;                        // bytes of the arena of each plan
  rt::NamedSizes assumed;  // sizes of dimensions for which none is given; costs are for these
  std::vector<Temporary> temporaries;
  MachinePeaks peaks, peaks_of_one;        // of the threads of a run, and of one thread
  schedule::Costs costs;                   // of the predictions
  bool peaks_are_assumed = false;          // they were never measured here
  std::optional<StoredProfile> profile;    // the last one of this model
  std::shared_ptr<const Scaling> scaling;  // if wanted (flow/costs/scaling.h)
  std::string isa;
  std::vector<Step> steps;
  std::vector<SiteReport> sites;
  schedule::LayoutReport layouts;
  std::shared_ptr<const ir::IndexArena> index;  // of the report's expressions
  schedule::DecisionLog decisions;              // outcomes (flow/explain/decision_outcomes.h)
  std::shared_ptr<std::vector<codegen::KernelText>> kernels;
  std::optional<DrawnGraph> before_fusion;  // if wanted
  std::optional<DrawnSteps> after_fusion;

  int64_t largest_arena() const { return arenas.empty() ? 0 : *std::max_element(arenas.begin(), arenas.end()); }
};

struct ExplainWishes {
  std::optional<DrawOptions> drawings;
  StageListener on_stage;
};
Explanation explain_model(const CompileRequest&, const ExplainWishes& = {});

// Compiles the kernels of these steps to assembly, equal kernels once. Throws UserError without a compiler, Cancelled.
void add_assembly(Explanation&, const std::vector<size_t>& steps, const CompileRequest&);

}  // namespace cppgen
