#include "isa/vec_isa.h"

#include <array>
#include <string>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

using enum CpuFeature;

constexpr CpuFeatures kAvx2Features{avx, avx2, fma, f16c};
constexpr CpuFeatures kAvx512Features{avx, avx2, fma, f16c, avx512f, avx512bw, avx512dq, avx512vl};

constexpr CpuFeatures kVnniFeatures{avx, avx2, fma, f16c, avx512f, avx512bw, avx512dq, avx512vl, avx512_vnni};
constexpr CpuFeatures kBf16Features{avx,      avx2,     fma,      f16c,        avx512f,
                                    avx512bw, avx512dq, avx512vl, avx512_vnni, avx512_bf16};
constexpr CpuFeatures kAmxFeatures{avx,      avx2,        fma,         f16c,     avx512f,  avx512bw, avx512dq,
                                   avx512vl, avx512_vnni, avx512_bf16, amx_tile, amx_int8, amx_bf16};

constexpr std::array<std::string_view, 1> kScalarFlags{"-march=x86-64"};
// Straight code of kernels is vectors already: looking for more of them takes 3% of the compiler's time and finds pairs
// of addresses.
constexpr std::string_view kAsWritten = "-fno-tree-slp-vectorize";
constexpr std::array<std::string_view, 5> kAvx2Flags{"-march=x86-64", "-mavx2", "-mfma", "-mf16c", kAsWritten};
constexpr std::array<std::string_view, 10> kAvx512Flags{"-march=x86-64", "-mavx512f",  "-mavx512bw",
                                                        "-mavx512dq",    "-mavx512vl", "-mfma",
                                                        "-mf16c",        "-mavx2",     "-mprefer-vector-width=512",
                                                        kAsWritten};

constexpr std::array<VecISA, 6> kIsas{{
    {"scalar", "baseline x86-64, one element at a time", 1, 1, {}, kScalarFlags, "scalar"},
    {"avx2", "AVX2 with FMA and F16C, 256-bit vectors", 256, 8, kAvx2Features, kAvx2Flags, "avx2"},
    {"avx512", "AVX-512 F, BW, DQ and VL, 512-bit vectors", 512, 16, kAvx512Features, kAvx512Flags, "avx512"},
    // The kernels of avx512, with further contraction tiles.
    {"avx512_vnni", "AVX-512 with int8 dot products", 512, 16, kVnniFeatures, kAvx512Flags, "avx512"},
    {"avx512_bf16", "AVX-512 with int8 and bfloat16 dot products", 512, 16, kBf16Features, kAvx512Flags, "avx512"},
    {"amx", "AVX-512 with int8 and bfloat16 matrix tiles", 512, 16, kAmxFeatures, kAvx512Flags, "avx512"},
}};

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

void check_runs(const VecISA& isa, std::string_view setting, CpuFeatures cpu) {
  if (cpu.has_all(isa.required)) return;
  user_error("{} asks for {} ({}), but this CPU lacks {}; it has {}. Allowed here: {}", setting, isa.name,
             isa.description, to_string(isa.required.without(cpu)), to_string(cpu), runnable_names(cpu));
}

// The most preferred row of this width that the CPU runs.
const VecISA& select_by_width(int simdlen, CpuFeatures cpu) {
  const VecISA* widest = nullptr;
  for (const VecISA& isa : kIsas)
    if (isa.vector_bits == simdlen && (!widest || cpu.has_all(isa.required))) widest = &isa;
  if (!widest)
    user_error("SIMDLEN={} is the width of no instruction set. Allowed: 0 (the widest), {}", simdlen, widths());
  check_runs(*widest, fmt::format("SIMDLEN={}", simdlen), cpu);
  return *widest;
}

const VecISA& select_by_name(const IsaRequest& request, CpuFeatures cpu) {
  const VecISA* isa = find_isa(request.isa);
  if (!isa)
    user_error("ISA={} is unknown. Allowed: auto, {}", request.isa, names_of_rows([](const VecISA&) { return true; }));
  if (request.simdlen != 0 && request.simdlen != isa->vector_bits)
    user_error(
        "ISA={} has vectors of {} bits, but SIMDLEN={} asks for another width. Set only one of the two, or SIMDLEN={}",
        isa->name, isa->vector_bits, request.simdlen, isa->vector_bits);
  check_runs(*isa, fmt::format("ISA={}", request.isa), cpu);
  return *isa;
}

}  // namespace

std::span<const VecISA> all_isas() { return kIsas; }

const VecISA* find_isa(std::string_view name) {
  for (const VecISA& isa : kIsas)
    if (isa.name == name) return &isa;
  return nullptr;
}

const VecISA& best_isa(CpuFeatures cpu) {
  const VecISA* best = &kIsas.front();
  for (const VecISA& isa : kIsas)
    if (cpu.has_all(isa.required)) best = &isa;
  return *best;
}

const VecISA& select_isa(const IsaRequest& request, CpuFeatures cpu) {
  const bool by_name = request.isa != "auto", by_width = request.simdlen != 0;
  const bool scalar_only = request.vec_isa_ok == false;
  if (!by_name && !by_width) return scalar_only ? kIsas.front() : best_isa(cpu);
  const VecISA& isa = by_name ? select_by_name(request, cpu) : select_by_width(request.simdlen, cpu);
  if (scalar_only && &isa != &kIsas.front())
    user_error(
        "VEC_ISA_OK=0 allows scalar kernels only, but {} asks for {}. Allowed: ISA=scalar or SIMDLEN=1, or leave "
        "VEC_ISA_OK unset",
        by_name ? fmt::format("ISA={}", request.isa) : fmt::format("SIMDLEN={}", request.simdlen), isa.name);
  return isa;
}

}  // namespace cppgen
