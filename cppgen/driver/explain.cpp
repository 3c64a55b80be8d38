// What a model would become, without compiling anything.
#include "cppgen/driver/compiler.h"
#include "cppgen/driver/loop_text.h"
#include "cppgen/driver/stages.h"
#include "cppgen/ops/op.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen {
namespace {

std::vector<Explanation::Step> explained_steps(const schedule::Schedule& schedule,
                                               const std::vector<codegen::KernelText>& kernels) {
  std::vector<Explanation::Step> steps;
  size_t next = 0;
  for (const auto& step : schedule.steps) {
    if (const auto* k = std::get_if<schedule::FusedKernel>(&step)) {
      const codegen::KernelText& text = kernels[next++];
      steps.push_back({k->name, k->kind == schedule::KernelKind::loops ? "loops" : "cppgen", k->origins, loop_text(*k),
                       text.comment + text.code});
    } else if (const auto* call = std::get_if<schedule::LibraryStep>(&step)) {
      steps.push_back({call->function, call->engine, call->origins, "", ""});
    }
  }
  return steps;
}

}  // namespace

Explanation explain_model(const CompileRequest& request) {
  StageClock clock;
  Trace trace(request);
  Graph graph = read_and_simplify(request, clock, &trace);
  CompileOptions options = compile_options(request);
  const VecISA& isa = choose_isa(request.settings, options, false);
  auto target = target_of(isa, this_machine());
  auto schedule = schedule::make_schedule(ops::lower(graph), schedule_options(request.settings), target);
  auto kernels = emit_kernels(schedule, target, request.settings);
  Explanation result;
  result.isa = std::string(isa.name);
  result.layouts = schedule::layout_report(schedule);
  result.index = schedule.program.index;
  result.decisions = std::move(schedule.log);
  result.steps = explained_steps(schedule, kernels);
  return result;
}

}  // namespace cppgen
