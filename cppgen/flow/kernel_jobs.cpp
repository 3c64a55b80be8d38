#include "cppgen/flow/kernel_jobs.h"

#include <fmt/format.h>

#include <iterator>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/flow/model_parts.h"
#include "cppgen/schedule/tuning.h"
#include "isa/vec_isa.h"

namespace cppgen {
namespace {

CompileJob job_of(const std::vector<size_t>& unit, const std::vector<codegen::KernelText>& kernels, const VecISA& isa,
                  size_t number) {
  CompileJob job;
  job.name = fmt::format("kernels_{}", number);
  job.isa_name = std::string(isa.name);
  job.isa_flags = {isa.compiler_flags.begin(), isa.compiler_flags.end()};
  std::vector<const codegen::KernelText*> texts;
  for (const size_t k : unit) {
    texts.push_back(&kernels[k]);
    job.expected_symbols.push_back(kernels[k].name);
  }
  job.source = codegen::translation_unit(texts, std::string(isa.folder));
  return job;
}

}  // namespace

KernelJobs distribute(std::vector<codegen::KernelText>& kernels, const VecISA& isa, const schedule::Tuning& tuning) {
  KernelJobs result;
  result.holder = codegen::share_functions(kernels);
  result.job_of_kernel.resize(kernels.size());
  for (const auto& unit : codegen::balance(kernels, codegen::unit_count(kernels, tuning))) {
    if (unit.empty()) continue;
    for (const size_t k : unit) result.job_of_kernel[k] = int(result.jobs.size());
    result.jobs.push_back(job_of(unit, kernels, isa, result.jobs.size()));
  }
  for (size_t k = 0; k < kernels.size(); k++) result.job_of_kernel[k] = result.job_of_kernel[result.holder[k]];
  return result;
}

std::vector<CompileJob> make_jobs(std::vector<ModelPart>& parts, const VecISA& isa, const schedule::Tuning& tuning) {
  std::vector<codegen::KernelText> kernels;
  for (ModelPart& part : parts) std::move(part.kernels.begin(), part.kernels.end(), std::back_inserter(kernels));
  KernelJobs distributed = distribute(kernels, isa, tuning);
  size_t next = 0;
  for (ModelPart& part : parts)
    for (auto& kernel : part.kernels) {
      kernel = std::move(kernels[next]);
      part.object_of_kernel.push_back(distributed.job_of_kernel[next++]);
    }
  return std::move(distributed.jobs);
}

}  // namespace cppgen
