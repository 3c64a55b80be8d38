#include "runtime/package/machine_support.h"

#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/amx_support.h"
#include "runtime/contraction/tile.h"

namespace cppgen::rt {

void require_isa(const std::string& isa, const std::string& package) {
  const VecISA* row = find_isa(isa);
  if (!row) user_error("package '{}' was compiled for the ISA '{}', which this runtime does not know", package, isa);
  const CpuFeatures cpu = detect_cpu_features();
  if (!cpu.has_all(row->required))
    user_error("package '{}' was compiled for the ISA '{}'; this CPU lacks {}", package, isa,
               to_string(row->required.without(cpu)));
  if (row->required.has(CpuFeature::amx_tile) && !amx_support().usable)
    user_error("package '{}' was compiled for the ISA '{}', but {}", package, isa, amx_support().reason);
}

const cppgen_runtime* runtime_services(const std::string& isa) { return runtime_table(isa); }

}  // namespace cppgen::rt
