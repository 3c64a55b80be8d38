#include "cppgen/flow/compile/kernel_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/flow/compile/model_parts.h"
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

// The time that a compiler takes for a kernel is about proportional to the length of its text, to which each tile in
// registers adds as much as so many bytes.
int64_t compile_cost(const codegen::KernelText& kernel) {
  constexpr int64_t kBytesOfTile = 1600;
  return int64_t(kernel.code().size()) + kBytesOfTile * kernel.plan.tile_functions;
}

}  // namespace

int unit_count(const std::vector<codegen::KernelText>& kernels, const schedule::Tuning& tuning) {
  int64_t bytes = 0, functions = 0;
  for (const codegen::KernelText& k : kernels) {
    bytes += int64_t(k.code().size());
    functions += k.has_function();
  }
  return int(
      std::clamp<int64_t>(std::max(tuning.least_units, bytes / tuning.unit_bytes), 1, std::max<int64_t>(functions, 1)));
}

std::vector<std::vector<size_t>> balance(const std::vector<codegen::KernelText>& kernels, int count) {
  std::vector<size_t> order;
  for (size_t k = 0; k < kernels.size(); k++)
    if (kernels[k].has_function()) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return compile_cost(kernels[a]) > compile_cost(kernels[b]); });
  std::vector<std::vector<size_t>> units(std::min(size_t(std::max(count, 1)), std::max<size_t>(order.size(), 1)));
  std::vector<int64_t> cost(units.size(), 0);
  for (size_t k : order) {
    size_t least = size_t(std::min_element(cost.begin(), cost.end()) - cost.begin());
    units[least].push_back(k);
    cost[least] += compile_cost(kernels[k]);
  }
  for (auto& u : units) std::sort(u.begin(), u.end());
  return units;
}

KernelJobs distribute(std::vector<codegen::KernelText>& kernels, const VecISA& isa, const schedule::Tuning& tuning) {
  KernelJobs result;
  result.holder = codegen::share_functions(kernels);
  result.job_of_kernel.resize(kernels.size());
  for (const auto& unit : balance(kernels, unit_count(kernels, tuning))) {
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
