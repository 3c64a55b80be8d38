#include "runtime/package/machine_support.h"

#include <algorithm>

#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/amx_support.h"
#include "runtime/contraction/tile.h"

namespace cppgen::rt {

CpuFeatures usable_cpu_features() {
  const CpuFeatures cpu = detect_cpu_features();
  if (!cpu.has_any(arch::kMatrixTiles) || amx_support().usable) return cpu;
  return cpu.without(CpuFeatures::of_bits(arch::kMatrixTiles));
}

std::string best_isa_of(std::span<const std::string> isas, CpuFeatures cpu) {
  std::string best;
  for (const VecISA& row : all_isas())
    if (cpu.has_all(row.required) && std::find(isas.begin(), isas.end(), row.name) != isas.end()) best = row.name;
  return best;
}

void require_isa(const std::string& isa, const std::string& package) {
  const VecISA* row = find_isa(isa);
  if (!row) user_error("package '{}' was compiled for the ISA '{}', which this runtime does not know", package, isa);
  const CpuFeatures cpu = detect_cpu_features();
  if (!cpu.has_all(row->required))
    user_error("package '{}' was compiled for the ISA '{}'; this CPU lacks {}", package, isa,
               to_string(row->required.without(cpu)));
  if (row->required.has_any(arch::kMatrixTiles) && !amx_support().usable)
    user_error("package '{}' was compiled for the ISA '{}', but {}", package, isa, amx_support().reason);
}

const cppgen_runtime* runtime_services(const std::string& isa) { return runtime_table(isa); }

}  // namespace cppgen::rt
