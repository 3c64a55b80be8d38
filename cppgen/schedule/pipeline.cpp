#include "cppgen/schedule/pipeline.h"

#include <algorithm>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/verify.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

constexpr bool needed = true, optional = false;

constexpr Pass kProgram[] = {
#define CPPGEN_PROGRAM_PASS(name, necessity, option) {#name, name, necessity, option},
#include "cppgen/schedule/passes.def"
};
constexpr Pass kFusion[] = {
#define CPPGEN_FUSION_PASS(name, necessity, option) {#name, name, necessity, option},
#include "cppgen/schedule/passes.def"
};
constexpr Pass kKernels[] = {
#define CPPGEN_KERNEL_PASS(name, necessity, option) {#name, name, necessity, option},
#include "cppgen/schedule/passes.def"
};

bool is_skipped(const Pass& pass, const Options& options) {
  const auto& disabled = options.disabled_passes;
  return (pass.option && !(options.*pass.option)) ||
         std::find(disabled.begin(), disabled.end(), pass.name) != disabled.end();
}

bool is_kernel_pass(const Pass& pass) {
  return std::any_of(std::begin(kKernels), std::end(kKernels), [&](const Pass& p) { return p.run == pass.run; });
}

void verify_after(const Pass& pass, const Schedule& schedule) {
  try {
    schedule.steps.empty() ? verify_program(schedule) : verify(schedule);
  } catch (const InternalError& error) {
    internal_error("after the pass {}: {}", pass.name, error.what());
  }
}

}  // namespace

std::span<const Pass> program_passes() { return kProgram; }
std::span<const Pass> fusion_passes() { return kFusion; }
std::span<const Pass> kernel_passes() { return kKernels; }

void run_passes(std::span<const Pass> passes, Draft& draft, const Trace& trace) {
  for (const Pass& pass : passes) {
    if (is_skipped(pass, draft.options)) continue;
    pass.run(draft);
    if (is_kernel_pass(pass)) draft.after = pass.name;
    verify_after(pass, draft.schedule);
    if (trace) trace(pass.name, draft);
  }
}

}  // namespace cppgen::schedule
