#include "isa/arch/x86_64.h"

#include <cpuid.h>

#include <string_view>

#include "isa/cpu_features.h"

namespace cppgen {
namespace {

struct FeatureName {
  CpuFeature feature;
  std::string_view name;
};

constexpr FeatureName kNames[] = {
#define CPPGEN_CPU_FEATURE(name, ...) {CpuFeature::name, #name},
#include "isa/arch/x86_64_features.def"
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
  static const CpuFeatures features = decode_features(read_cpuid());
  return features;
}

std::string cpu_vendor() {
  uint32_t most = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0, &most, &ebx, &ecx, &edx)) return {};
  std::string name;
  for (uint32_t reg : {ebx, edx, ecx})
    for (int shift = 0; shift < 32; shift += 8) name += char(reg >> shift & 0xff);
  return name;
}

double bf16_dot_speed(std::string_view vendor) { return vendor == "AuthenticAMD" ? 2 : 0.5; }

}  // namespace cppgen
