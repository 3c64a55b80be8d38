#include "isa/vec_isa.h"

#include <array>
#include <string>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

using enum CpuFeature;

constexpr VecISA kRow_none{};
#define CPPGEN_BRACED(...) \
  { __VA_ARGS__ }
#define CPPGEN_ISA(isa, base, bits, lanes, features, description, ...)          \
  constexpr auto kFlags_##isa = std::to_array<std::string_view>({__VA_ARGS__}); \
  constexpr VecISA                                                              \
      kRow_##isa{                                                               \
          #isa,                                                                 \
          description,                                                          \
          bits,                                                                 \
          lanes,                                                                \
          kRow_##base.required.with(CpuFeatures CPPGEN_BRACED features),        \
          kFlags_##isa,                                                         \
          #isa,                                                                 \
          kRow_##base.name,                                                     \
      };
#define CPPGEN_ISA_TILES(isa, base, features, description, ...)                              \
  constexpr VecISA kRow_##isa{#isa,                                                          \
                              description,                                                   \
                              kRow_##base.vector_bits,                                       \
                              kRow_##base.lanes,                                             \
                              kRow_##base.required.with(CpuFeatures CPPGEN_BRACED features), \
                              kRow_##base.compiler_flags,                                    \
                              kRow_##base.folder,                                            \
                              #base};
#include "runtime/base/isas.def"

constexpr VecISA kIsas[] = {
#define CPPGEN_ISA(isa, ...) kRow_##isa,
#define CPPGEN_ISA_TILES(isa, ...) kRow_##isa,
#include "runtime/base/isas.def"
};

std::string names_of_rows(auto accept) {
  std::string text;
  for (const VecISA& isa : kIsas) {
    if (!accept(isa)) continue;
    if (!text.empty()) text += ", ";
    text += isa.name;
  }
  return text;
}

std::string runnable_names(CpuFeatures cpu) {
  return names_of_rows([&](const VecISA& isa) { return cpu.has_all(isa.required); });
}

std::string widths() {
  std::string text;
  int last = 0;
  for (const VecISA& isa : kIsas) {
    if (isa.vector_bits == last) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", isa.vector_bits, isa.folder);
    last = isa.vector_bits;
  }
  return text;
}

// `otherwise` ends the message: what else can be done.
void check_runs(const VecISA& isa, std::string_view setting, CpuFeatures cpu, std::string_view otherwise = "") {
  if (cpu.has_all(isa.required)) return;
  user_error("{} requests {} ({}), but this CPU lacks {}; it has {}. Allowed here: {}{}", setting, isa.name,
             isa.description, to_string(isa.required.without(cpu)), to_string(cpu), runnable_names(cpu), otherwise);
}

// The most preferred row of this width that the CPU runs.
const VecISA& select_by_width(int64_t simdlen, CpuFeatures cpu) {
  const VecISA* widest = nullptr;
  for (const VecISA& isa : kIsas)
    if (isa.vector_bits == simdlen && (!widest || cpu.has_all(isa.required))) widest = &isa;
  if (!widest)
    user_error("SIMDLEN={} is not the width of any instruction set. Allowed: 0 (the widest), {}", simdlen, widths());
  check_runs(*widest, fmt::format("SIMDLEN={}", simdlen), cpu);
  return *widest;
}

const VecISA& select_by_name(const IsaRequest& request, CpuFeatures cpu) {
  const VecISA* isa = find_isa(request.isa);
  if (!isa)
    user_error("ISA={} is unknown. Allowed: auto, {}", request.isa, names_of_rows([](const VecISA&) { return true; }));
  if (request.simdlen != 0 && request.simdlen != isa->vector_bits)
    user_error(
        "ISA={} has vectors of {} bits, but SIMDLEN={} requests another width. Set only one of the two, or SIMDLEN={}",
        isa->name, isa->vector_bits, request.simdlen, isa->vector_bits);
  if (request.vec_isa_ok != true)
    check_runs(*isa, fmt::format("ISA={}", request.isa), cpu, "; VEC_ISA_OK=1 compiles for other machines, too");
  return *isa;
}

}  // namespace

std::span<const VecISA> all_isas() { return kIsas; }

bool has_finished_tiles(const VecISA& isa) { return isa.folder == "avx2" || isa.folder == "avx512"; }

const VecISA* find_isa(std::string_view name) {
  for (const VecISA& isa : kIsas)
    if (isa.name == name) return &isa;
  return nullptr;
}

CpuFeatures own_features(const VecISA& isa) {
  const VecISA* base = find_isa(isa.base);
  return base ? isa.required.without(base->required) : isa.required;
}

const VecISA* matrix_tile_isa() {
  for (const VecISA& isa : kIsas)
    if (isa.required.has_any(arch::kMatrixTiles)) return &isa;
  return nullptr;
}

const VecISA& best_isa(CpuFeatures cpu) {
  const VecISA* best = &kIsas[0];
  for (const VecISA& isa : kIsas)
    if (cpu.has_all(isa.required)) best = &isa;
  return *best;
}

const VecISA& select_isa(const IsaRequest& request, CpuFeatures cpu) {
  const bool by_name = request.isa != "auto", by_width = request.simdlen != 0;
  const bool scalar_only = request.vec_isa_ok == false;
  if (!by_name && !by_width) return scalar_only ? kIsas[0] : best_isa(cpu);
  const VecISA& isa = by_name ? select_by_name(request, cpu) : select_by_width(request.simdlen, cpu);
  if (scalar_only && &isa != &kIsas[0])
    user_error(
        "VEC_ISA_OK=0 allows only scalar kernels, but {} requests {}. Allowed: ISA=scalar or SIMDLEN=1, or leave "
        "VEC_ISA_OK unset",
        by_name ? fmt::format("ISA={}", request.isa) : fmt::format("SIMDLEN={}", request.simdlen), isa.name);
  return isa;
}

}  // namespace cppgen
