// The binary interface between emitted kernels and the runtime: plain C structs, versioned. Emitted kernels include
// this header, so it includes nothing.
#pragma once

#define CPPGEN_ABI_VERSION 14

// Functions that kernels cannot contain themselves, because a kernel is linked without libraries.
struct cppgen_runtime {
  // double precision math, in the order of cppgen::MathFunction (runtime/abi/math_functions.def)
  double (*const* unary_f64)(double);
  double (*pow_f64)(double, double);
  double (*fmod_f64)(double, double);
  // Register-blocked contraction tiles of this ISA, by format (runtime/contraction/formats.h) and number of rows: see
  // runtime/contraction/tiles.h. Null if the ISA has none.
  void (*const* const* tiles)(const void* const* left, long taps, long K, const void* panel, void* block, long ldc,
                              long ahead);
  // Tiles of float32 whose left operand is read in place, indexed by (2 * rows are contiguous + half as wide) and the
  // number of rows: see runtime/contraction/tiles.h.
  void (*const* const* strided)(const float* left, long ld, long K, const float* panel, float* block);
  // For each format, converts the rows of the left operand to the form that its tiles read. Null if they read the rows
  // themselves.
  void (*const* prepare)(const void* const* left, long rows, long taps, long K, void* scratch, const void** prepared);
  // For each format, is called by a kernel before its first tile and after its last one. Null if there is nothing to
  // do.
  void (*const* begin)(void);
  void (*const* finish)(void);
  // The transforms of convolutions by Winograd's algorithm, by the number of the form (runtime/contraction/winograd.h):
  // see WinogradTransforms in runtime/contraction/tiles.h.
  void (*const* winograd_input)(const float* const* points, long channels, float* to, long plane);
  bool (*const* winograd_output)(const float* products, long plane, long columns, float* block);
  void (*const* winograd_direct)(const float* const* points, long channels,
                                 void (*tile)(const void* const* left, long taps, long K, const void* panel,
                                              void* block, long ldc, long ahead),
                                 const float* panel, long columns, float* block);
  // Their products, by format: see PatchProducts in runtime/contraction/tiles.h.
  void (*const* winograd_products)(const float* left, long ld, long rows, long terms, long K, const float* panel,
                                   float* block);
};

// The arguments of a kernel call. A kernel is
//   extern "C" void NAME(const cppgen_kernel_args*, long begin, long end)
// over its parallel range; it may be called for disjoint subranges by many threads at once.
struct cppgen_kernel_args {
  void* const* buffers;  // one pointer per buffer argument, in the kernel's argument order
  const long* params;    // values of the kernel's dimension expressions, in order
  const struct cppgen_runtime* rt;
  // Set to 1 + (index of the failed check) by a kernel that meets an index outside its tensor; 0 otherwise.
  int* error;
  // scratch memory private to this call's thread (64-byte aligned), as many bytes as the plan's step requests
  char* scratch;
};
