#include <map>

#include "cppgen/compile/asm_writer.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/kernel_jobs.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/explain/explain.h"

namespace cppgen {

void add_assembly(Explanation& explanation, const std::vector<size_t>& steps, const CompileRequest& request) {
  std::vector<codegen::KernelText> kernels;
  std::vector<size_t> of_kernels;  // the step of each
  for (const size_t i : steps) {
    if (explanation.steps[i].kernel < 0) continue;
    kernels.push_back(explanation.kernels->at(size_t(explanation.steps[i].kernel)));
    of_kernels.push_back(i);
  }
  if (kernels.empty()) return;
  CompileOptions options = compile_options(request);
  Settings settings = request.settings;
  settle_foreign_compiler(settings);
  options.cxx = settings.cxx;
  KernelBuilder builder(options);
  const VecISA& isa = likely_isa(request.settings);
  const KernelJobs units = distribute(kernels, isa, target_of(isa, request.settings).tuning);
  const std::map<std::string, std::string> functions = assembly_of(units.jobs, options, builder);
  for (size_t k = 0; k < kernels.size(); k++)
    if (const auto found = functions.find(kernels[k].symbol()); found != functions.end())
      explanation.steps[of_kernels[k]].assembly = found->second;
}

}  // namespace cppgen
