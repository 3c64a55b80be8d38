#pragma once

// Everything that differs between architectures, for the one that is compiled for. Each has a folder: CpuFeature and
// the features (features.def, features.cpp, cpu.cpp); in arch.h, the namespace `arch` with
//
//   kName, kElfMachine   its name as CMake and ELF files have it, and its number in them
//   kMatrixTiles ...     the bits of CpuFeatures that have a meaning to the compiler
//   FloatControl         the control word of floating-point arithmetic, its default and how to flush denormals
//   spin_pause           a hint that the calling thread spins
//   store_streamed       a store that need not go through the caches, to an address that is aligned to the block;
//                        finish_streaming() orders such stores before those that follow it
//   permit_matrix_tiles  the permission of the operating system to use matrix tiles
//
// Another architecture requires another folder, its rows in runtime/base/isas.def, and the scalar vectors of
// vec/scalar.
#if defined(__x86_64__)
#include "isa/arch/x86_64/arch.h"
#elif defined(__aarch64__)
#include "isa/arch/aarch64/arch.h"
#else
#error "isa/arch does not support this architecture"
#endif
