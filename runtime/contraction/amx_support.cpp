#include "runtime/contraction/amx_support.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/cpu_features.h"
#include "runtime/contraction/amx_tile_unit.h"
#include "runtime/contraction/tile_unit_check.h"

namespace cppgen::rt {
namespace {

// Linux: Documentation/arch/x86/xstate.rst. Without it the first use of a tile ends the process.
int ask_for_permission() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0 ? 0 : errno;
}

AmxSupport find_out() {
  constexpr CpuFeatures kNeeded{CpuFeature::amx_tile, CpuFeature::amx_bf16, CpuFeature::amx_int8};
  const CpuFeatures missing = kNeeded.without(detect_cpu_features());
  if (missing.bits) return {false, fmt::format("this CPU or its operating system lacks {}", to_string(missing))};
  if (const int error = ask_for_permission())
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
