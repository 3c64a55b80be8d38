#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/cpu_features.h"
#include "runtime/base/setting_default.h"

namespace cppgen {

// One instruction set that kernels can be generated for: a row of runtime/base/isas.def, which documents the columns.
struct VecISA {
  std::string_view name;         // value of the setting ISA
  std::string_view description;  // a readable description of one line
  int vector_bits;               // width of a vector register, which SIMDLEN selects by; 1 for the scalar row
  int lanes;                     // lanes of every vector: vec::L
  CpuFeatures required;          // features that a CPU must have to run it
  std::span<const std::string_view> compiler_flags;  // explicit, never -march=native
  std::string_view folder;                           // folder of vec/: kernels include "vec/<folder>/vec.h"
  std::string_view base;                             // the row that it extends, "" for the first
};

// All rows, from the least to the most preferred. The first row is the scalar one, which every CPU can run.
std::span<const VecISA> all_isas();

// The row of this name; nullptr if there is none.
const VecISA* find_isa(std::string_view name);

// Whether vec/<folder> has tiles that finish their results (vec/generic/tile_ends.h).
bool has_finished_tiles(const VecISA&);

// The features that this row requires beyond those of its base.
CpuFeatures own_features(const VecISA&);

// The row with matrix tiles, which USE_AMX permits; null if the architecture has none.
const VecISA* matrix_tile_isa();

// The last row whose features the CPU has.
const VecISA& best_isa(CpuFeatures cpu);

// The settings that choose an ISA.
struct IsaRequest {
  std::string isa = setting_default<SettingKind::list>("ISA")[0];      // a row's name, or "auto"
  int64_t simdlen = setting_default<SettingKind::integer>("SIMDLEN");  // vector width in bits; 0: the widest; 1: scalar
  // false: scalar only. Unset and true choose the same row: they differ in the compile-and-run probe, which the caller
  // makes.
  std::optional<bool> vec_isa_ok = setting_default<SettingKind::tristate>("VEC_ISA_OK");
};

// The row that the request selects on this CPU. Throws UserError, which states the request, the features of the CPU and
// what is allowed, if the name or width is unknown, the CPU lacks a feature, or the settings contradict each other.
const VecISA& select_isa(const IsaRequest& request, CpuFeatures cpu);

}  // namespace cppgen
