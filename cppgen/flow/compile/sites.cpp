#include "cppgen/flow/compile/sites.h"

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/support/hashing.h"

namespace cppgen {
namespace {

void append_sites(const ModelPart& part, std::vector<SiteReport>& sites) {
  using Scope = schedule::TuningScope;
  if (const std::string& site = part.schedule.site; !site.empty()) sites.push_back({site, Scope::whole, {}, {}});
  size_t kernels = 0;
  schedule::each_step(part.schedule.steps, [&](const auto& step) {
    SiteReport site{step.site, Scope::site_contraction, step.origins, {}};
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(step)>, schedule::FusedKernel>) {
      const codegen::KernelText& text = part.kernels[kernels++];
      if (!step.contraction) site.scope = Scope::site_other;
      site.convolution = step.contraction && step.contraction->convolution;
      site.kernel = text.symbol();
      site.code = sha256_hex((text.written.empty() ? text.function : text.written) + kernel::to_string(text.plan));
    } else {
      site.code = step.function;
      site.convolution = step.convolution;
    }
    if (!site.site.empty()) sites.push_back(std::move(site));
  });
}

}  // namespace

std::vector<SiteReport> sites_of(const std::vector<ModelPart>& parts) {
  std::vector<SiteReport> sites;
  for (const ModelPart& part : parts) append_sites(part, sites);
  return sites;
}

}  // namespace cppgen
