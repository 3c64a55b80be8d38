#include "isa/cpu_features.h"

#include <string_view>

namespace cppgen {
namespace {

struct FeatureName {
  CpuFeature feature;
  std::string_view name;
};

constexpr FeatureName kNames[] = {
#define CPPGEN_CPU_FEATURE(name, ...) {CpuFeature::name, #name},
#include "isa/arch/features.def"
};

}  // namespace

std::string to_string(CpuFeatures features) {
  std::string text;
  for (const FeatureName& row : kNames) {
    if (!features.has(row.feature)) continue;
    if (!text.empty()) text += ' ';
    text += row.name;
  }
  return text.empty() ? "none" : text;
}

// Each CPUID instruction takes tens of microseconds in a virtual machine.
CpuFeatures detect_cpu_features() {
  static const CpuFeatures features = read_cpu_features();
  return features;
}

}  // namespace cppgen
