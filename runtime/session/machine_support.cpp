#include "runtime/session/machine_support.h"

#include <cmath>

#include "isa/vec_isa.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

constexpr double (*const kUnary[])(double) = {
#define MATH(name) static_cast<double (*)(double)>(std::name),
#include "runtime/abi/math_functions.def"
#undef MATH
};

constexpr cppgen_runtime kServices{kUnary, static_cast<double (*)(double, double)>(std::pow),
                                   static_cast<double (*)(double, double)>(std::fmod), nullptr};

}  // namespace

void require_isa(const std::string& isa, const std::string& package) {
  const VecISA* row = find_isa(isa);
  if (!row) user_error("package '{}' was compiled for the ISA '{}', which this runtime does not know", package, isa);
  const CpuFeatures cpu = detect_cpu_features();
  if (!cpu.has_all(row->required))
    user_error("package '{}' was compiled for the ISA '{}'; this CPU lacks {}", package, isa,
               to_string(row->required.without(cpu)));
}

const cppgen_runtime* runtime_services(const std::string&) { return &kServices; }

}  // namespace cppgen::rt
