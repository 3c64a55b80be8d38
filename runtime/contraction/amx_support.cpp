#include "runtime/contraction/amx_support.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/vec_isa.h"
#if defined(__x86_64__)
#include "runtime/contraction/amx_tile_unit.h"
#endif
#include "runtime/contraction/tile_unit_check.h"

namespace cppgen::rt {
namespace {

#if defined(__x86_64__)
AmxSupport find_out() {
  const CpuFeatures missing = own_features(*matrix_tile_isa()).without(detect_cpu_features());
  if (missing.bits) return {false, fmt::format("this CPU or its operating system lacks {}", to_string(missing))};
  if (const int error = arch::permit_matrix_tiles())
    return {false, fmt::format("the operating system does not permit tiles: {}", std::strerror(error))};
  const std::string difference = difference_from_emulation<AmxTileUnit>();
  if (!difference.empty()) return {false, fmt::format("tiles compute unexpected results: {}", difference)};
  return {true, ""};
}
#else
AmxSupport find_out() { return {false, "this architecture has no AMX"}; }
#endif

}  // namespace

const AmxSupport& amx_support() {
  static const AmxSupport support = find_out();
  return support;
}

}  // namespace cppgen::rt
