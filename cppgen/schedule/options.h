#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/schedule/blocking.h"
#include "cppgen/schedule/choices.h"
#include "cppgen/schedule/tuning.h"
#include "runtime/base/setting_default.h"
#include "runtime/contraction/formats.h"

namespace cppgen::schedule {

// The error that float32 contractions may have. strict: that of fused multiply-adds, which are used. f32: no greater
// error than theirs, by whatever means. relaxed: at most three times theirs. bf16x3: that of three products of parts in
// bfloat16. bf16: that of operands rounded to bfloat16.
enum class FloatMath : uint8_t { strict, f32, relaxed, bf16x3, bf16 };
constexpr std::string_view name_of(FloatMath m) {
  constexpr std::string_view kNames[] = {"strict", "f32", "relaxed", "bf16x3", "bf16"};
  return kNames[size_t(m)];
}

FloatMath float_math_from_name(std::string_view);  // InternalError for another name

struct Costs;

enum class KernelNames : uint8_t { operators, nodes };  // what names of kernels consist of

// The options of the schedule: the settings of the same names, and what a tuning chose.
struct Options {
#define CPPGEN_SETTING(...)
#define CPPGEN_SCHEDULE_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  std::vector<std::string> disabled_passes;  // names of passes that are skipped, none of which is needed
  Blocking blocking;
  KernelNames kernel_names = KernelNames::operators;
  FloatMath fpmath = float_math_from_name(setting_default<SettingKind::choice>("FPMATH_MODE"));
  // The program is the body of a repetition, which packs what no iteration changes once.
  bool repeated = false;
  // For single sites, and for the whole program. Null: none; schedules then have no sites.
  std::shared_ptr<const Choices> choices{};
};

// The vector unit and the caches that kernels are written for, and the constants that suit them.
struct Target {
  std::string isa = "scalar";
  int lanes = 1;  // float32 lanes of one vector
  // Register blocks of contractions, by rt::TileFormat; {0, 0}: the ISA has no tiles of this format.
  std::array<rt::TileShape, rt::kTileFormatCount> tiles{};
  int64_t l2_bytes = 1 << 20;
  int64_t l3_bytes = 0;         // 0: not known
  double bf16_dot_speed = 0;    // products per time of pairs of bfloat16, those of float32 being 1
  bool finished_tiles = false;  // kernels may call tiles of float32 that finish their results (vec/generic/tile_ends.h)
  bool byte_dots = false;       // instructions multiply four bytes of each lane and add the products
  int64_t cache_line = 64;      // bytes
  int64_t l1_set_period = 4096;  // bytes after which addresses fall into the same set: a page, on all x86-64
  Tuning tuning = Tuning(lanes);
  std::shared_ptr<const Costs> costs{};  // null: the usual ones (costs.h)
};

}  // namespace cppgen::schedule
