// Explains what a model would be compiled to, without compiling anything.
#include "cppgen/flow/explain.h"

#include "cppgen/flow/compiler.h"
#include "cppgen/flow/isa_choice.h"
#include "cppgen/flow/loop_text.h"
#include "cppgen/flow/model_parts.h"
#include "cppgen/flow/stages.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen {
namespace {

class ExplainedSteps {
 public:
  explicit ExplainedSteps(const std::vector<codegen::KernelText>& kernels) : next_(kernels.begin()) {}

  std::vector<Explanation::Step> of(const schedule::Schedule& schedule) {
    for (const auto& step : schedule.steps) {
      const auto* repeated = std::get_if<schedule::RepeatedSteps>(&step);
      const std::string times = repeated ? ir::to_string(repeated->steps) : "";
      schedule::each_step(std::span(&step, 1), [&](const auto& s) { add(s, times); });
    }
    return std::move(steps_);
  }

 private:
  std::vector<codegen::KernelText>::const_iterator next_;
  std::vector<Explanation::Step> steps_;

  void add(const schedule::FusedKernel& k, const std::string& times) {
    const codegen::KernelText& text = *next_++;
    steps_.push_back({k.name, schedule::engine_of(k), k.origins, loop_text(k), kernel::to_string(text.plan),
                      text.comment + text.code(), times});
  }
  void add(const schedule::LibraryStep& call, const std::string& times) {
    steps_.push_back({call.function, call.engine, call.origins, "", "", "", times});
  }
};

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void append(schedule::LayoutReport& to, schedule::LayoutReport from) {
  append(to.orders, std::move(from.orders));
  append(to.gaps, std::move(from.gaps));
  append(to.movements, std::move(from.movements));
}

}  // namespace

Explanation explain_model(const CompileRequest& request) {
  StageClock clock(&request);
  Trace trace(request);
  Graph graph = read_and_simplify(request, clock, &trace);
  const VecISA& isa = likely_isa(request.settings);
  auto target = target_of(isa, this_machine());
  ModelGraphs graphs = cut(std::move(graph));
  Explanation result;
  result.isa = std::string(isa.name);
  for (ModelPart& part : make_parts(graphs, request.settings, target, clock)) {
    append(result.layouts, schedule::layout_report(part.schedule));
    result.index = part.schedule.program.index;
    append(result.decisions.entries, std::move(part.schedule.log.entries));
    for (auto& step : ExplainedSteps(part.kernels).of(part.schedule)) result.steps.push_back(std::move(step));
  }
  if (graphs.module)
    for (const rt::Step& step : rt::outline_of(*graphs.module, {}).steps)
      result.steps.push_back({step.name, step.engine, step.origins, "", "", "", ""});
  return result;
}

}  // namespace cppgen
