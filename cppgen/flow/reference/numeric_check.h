#pragma once
#include <span>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/data/rounding.h"
#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/schedule/options.h"
#include "runtime/values/value.h"

namespace cppgen {

// PASSES_NUMERIC_CHECK: runs what a pass made on the reference interpreter, with random inputs, and compares the
// results with those before the pass. Symbols without a size have a small one. InternalError naming the pass and the
// output if they differ by more than rounding; UserError if the model cannot be run with random inputs.
class NumericCheck {
 public:
  explicit NumericCheck(const CompileRequest& request) : request_(request) {}

  // The graph after a pass. Graphs have no meaning before types are inferred: the first one with types is the first to
  // be run.
  void after_graph_pass(const std::string& pass, const Graph&);

 private:
  void start(const Graph&);

  const CompileRequest& request_;
  bool started_ = false, draws_ = false;
  std::vector<rt::Value> inputs_, results_;
};

// Does the same for the passes over the schedule of one part of a model. UserError if it cannot be run with random
// inputs.
class ScheduleCheck {
 public:
  ScheduleCheck(const Graph& part, const CompileRequest&, schedule::Options);

  const ir::Program& program() const { return program_; }  // before the passes
  const schedule::Options& options() const { return options_; }
  void after_pass(const std::string& pass, const ir::Program&);

 private:
  std::vector<rt::Value> run(const ir::Program&) const;

  const CompileRequest& request_;
  const RoundingLimits limits_;
  ir::Program program_;
  schedule::Options options_;
  std::vector<std::string> outputs_;
  std::vector<ir::HostTensor> inputs_;
  std::vector<rt::Value> results_;
};

// Schedules each part once more, on loops only and with the packing of weights as part of the program, because the
// interpreter can run neither functions of the library nor packed weights. A part that cannot be run with random inputs
// is omitted with a warning.
void check_schedules(std::span<const Graph> parts, const CompileRequest&, const schedule::Options&,
                     const schedule::Target&);

}  // namespace cppgen
