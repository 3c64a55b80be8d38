#pragma once
#include <cstdint>

namespace cppgen {

// The features of a CPU together with its operating system: a feature whose registers the system does not save is
// absent.
enum class CpuFeature : uint8_t {
#define CPPGEN_CPU_FEATURE(name, ...) name,
#include "isa/arch/x86_64/features.def"
};

// The registers returned by CPUID and XGETBV that are decoded here (Intel SDM volume 2A, CPUID).
struct CpuidRegisters {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0, leaf7_1_eax = 0;
  uint64_t xcr0 = 0;  // 0 when the operating system does not use XSAVE
};
CpuidRegisters read_cpuid();

// AMX is reported when the operating system enables its state for the machine; a process must still request permission
// before it uses tiles.
struct CpuFeatures;
CpuFeatures decode_features(const CpuidRegisters&);

namespace arch {

// Bits of CpuFeatures (isa/cpu_features.h): matrix tiles, dot products of bytes, fused multiply-adds.
inline constexpr uint32_t kMatrixTiles =
    1u << int(CpuFeature::amx_tile) | 1u << int(CpuFeature::amx_int8) | 1u << int(CpuFeature::amx_bf16);
inline constexpr uint32_t kByteDots = 1u << int(CpuFeature::avx512_vnni);
inline constexpr uint32_t kFusedMultiplyAdd = 1u << int(CpuFeature::fma);

// The SSE/AVX control word (MXCSR). Default: round to nearest even, all exceptions masked, denormals neither flushed
// nor read as zero.
using FloatControl = unsigned;
inline constexpr FloatControl kDefaultFloatControl = 0x1F80;
// Flush to zero, of results, and denormals are zero, of operands.
inline constexpr FloatControl kFlushDenormals = 0x8000 | 0x0040;
inline FloatControl float_control() { return __builtin_ia32_stmxcsr(); }
inline void set_float_control(FloatControl control) { __builtin_ia32_ldmxcsr(control); }

// A hint that the calling thread spins.
inline void spin_pause() { __builtin_ia32_pause(); }

// Blocks for store_streamed (isa/arch/arch.h).
typedef long long StreamedBlock __attribute__((vector_size(16)));
inline void store_streamed(void* to, StreamedBlock block) {
#ifdef __clang__  // which checks and fuzzes the sources that g++ builds
  __builtin_nontemporal_store(block, static_cast<StreamedBlock*>(to));
#else
  __builtin_ia32_movntdq(static_cast<StreamedBlock*>(to), block);
#endif
}
inline void finish_streaming() { __builtin_ia32_sfence(); }

// Requests permission from the operating system to use matrix tiles, without which the first use of a tile ends the
// process. Returns 0, or the error number.
int permit_matrix_tiles();

inline constexpr int kElfMachine = 62;  // EM_X86_64
inline constexpr char kName[] = "x86_64";

}  // namespace arch
}  // namespace cppgen
