#pragma once
#include <cstdint>

namespace cppgen {

// The features of a CPU together with its operating system.
enum class CpuFeature : uint8_t {
#define CPPGEN_CPU_FEATURE(name, ...) name,
#include "isa/arch/aarch64/features.def"
};

namespace arch {

// Bits of CpuFeatures (isa/cpu_features.h): no matrix tiles and no dot products of bytes yet; every CPU has fused
// multiply-adds, which therefore have no bit.
inline constexpr uint32_t kMatrixTiles = 0, kByteDots = 0, kFusedMultiplyAdd = 0;

// The control register of floating-point arithmetic (FPCR). Default: round to nearest even, no traps, denormals neither
// flushed nor read as zero.
using FloatControl = unsigned;
inline constexpr FloatControl kDefaultFloatControl = 0;
inline constexpr FloatControl kFlushDenormals = 1u << 24;  // FZ: of operands and results
inline FloatControl float_control() { return __builtin_aarch64_get_fpcr(); }
inline void set_float_control(FloatControl control) { __builtin_aarch64_set_fpcr(control); }

// A hint that the calling thread spins.
inline void spin_pause() { asm volatile("yield"); }

// Stores of aligned blocks as on x86-64, through the caches.
typedef long long StreamedBlock __attribute__((vector_size(16)));
inline void store_streamed(void* to, StreamedBlock block) { *static_cast<StreamedBlock*>(to) = block; }
inline void finish_streaming() {}

// There are none to permit: returns an error number.
int permit_matrix_tiles();

inline constexpr int kElfMachine = 183;  // EM_AARCH64
inline constexpr char kName[] = "aarch64";

}  // namespace arch
}  // namespace cppgen
