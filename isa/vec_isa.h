#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "isa/cpu_features.h"

namespace cppgen {

// One instruction set that kernels can be generated for: a row of runtime/base/isas.def, which tells more.
struct VecISA {
  std::string_view name;         // value of the setting ISA
  std::string_view description;  // one line for people
  int vector_bits;               // width of a vector register, what SIMDLEN selects by; 1 for the scalar row
  int lanes;                     // lanes of every vector: vec::L
  CpuFeatures required;          // what a CPU must have to run it
  std::span<const std::string_view> compiler_flags;  // explicit, never -march=native
  std::string_view folder;                           // below vec/: kernels include "vec/<folder>/vec.h"
  std::string_view base;                             // the row that it extends, "" if it is the first
};

// All rows, from the least to the most preferred. The first row is the scalar one, which every CPU can run.
std::span<const VecISA> all_isas();

// nullptr if there is no such row.
const VecISA* find_isa(std::string_view name);

// The last row whose features the CPU has.
const VecISA& best_isa(CpuFeatures cpu);

// The settings that choose an ISA.
struct IsaRequest {
  std::string_view isa = "auto";     // a row's name, or "auto"
  int simdlen = 0;                   // vector width in bits; 0: the widest; 1: scalar
  std::optional<bool> vec_isa_ok{};  // false: scalar only. Unset and true choose the same row: they differ in the
                                     // compile-and-run probe, which is the caller's
};

// The row that the request selects on this CPU. Throws UserError, which says what was asked, what the CPU has and what
// is allowed, if the name or width is unknown, the CPU lacks a feature, or the settings contradict each other.
const VecISA& select_isa(const IsaRequest& request, CpuFeatures cpu);

}  // namespace cppgen
