#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cppgen/flow/compiler.h"
#include "cppgen/schedule/layout/layout_report.h"

namespace cppgen {

// The output of `explain`: the kernels and every decision, without compiling anything.
struct Explanation {
  struct Step {
    std::string name, engine;          // engine "loops", "cppgen", "onednn" ...
    std::vector<std::string> origins;  // nodes of the model
    std::string loops;                 // "i0 < 3136, vector i1 < 64; reduce ..." in readable form
    std::string plan;                  // "columns: blocks of 2048; 25 units of 2048 elements"
    std::string source;                // emitted C++ of the kernel
    std::string repeated;              // how often a run executes the step, if that is part of the plan: "T"
  };
  std::string isa;
  std::vector<Step> steps;
  schedule::LayoutReport layouts;
  std::shared_ptr<const ir::IndexArena> index;  // of the report's expressions
  schedule::DecisionLog decisions;
};
Explanation explain_model(const CompileRequest&);

}  // namespace cppgen
