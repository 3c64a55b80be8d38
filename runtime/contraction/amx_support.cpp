#include "runtime/contraction/amx_support.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/vec_isa.h"
#include "runtime/contraction/amx_tile_unit.h"
#include "runtime/contraction/tile_unit_check.h"

namespace cppgen::rt {
namespace {

AmxSupport find_out() {
  const CpuFeatures missing = own_features(amx_isa()).without(detect_cpu_features());
  if (missing.bits) return {false, fmt::format("this CPU or its operating system lacks {}", to_string(missing))};
  if (const int error = arch::permit_matrix_tiles())
    return {false, fmt::format("the operating system does not permit tiles: {}", std::strerror(error))};
  const std::string difference = difference_from_emulation<AmxTileUnit>();
  if (!difference.empty()) return {false, fmt::format("tiles compute unexpected results: {}", difference)};
  return {true, ""};
}

}  // namespace

const AmxSupport& amx_support() {
  static const AmxSupport support = find_out();
  return support;
}

}  // namespace cppgen::rt
