// The facts about this CPU beyond its features.
#include <cpuid.h>

#include "isa/cpu_features.h"

namespace cppgen {
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
