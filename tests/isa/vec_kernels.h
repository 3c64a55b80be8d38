// The interface between the tests and vec as compiled for one ISA. Those translation units include no standard headers
// (an inline function compiled there could otherwise replace the portable one), so everything here is a plain struct.
#pragma once

struct cppgen_runtime;

namespace vec_test {

enum TypeId {
  kF32,
  kF64,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBf16,
  kB8,
  kF8E4M3,
  kF8E4M3Fnuz,
  kF8E5M2,
  kF8E5M2Fnuz,
  kTypes
};

// Element-wise kernels run over `count` elements, a multiple of 16; the others do what their name says with one vector.
struct Call {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  void* out = nullptr;
  long count = 0;
  int n = 0;        // lanes of a partial access
  long stride = 1;  // elements
  long out_stride = 1;
  const long* index = nullptr;
  const cppgen_runtime* rt = nullptr;
};
typedef void (*Kernel)(const Call&);

// Kernels of the rows of vec_ops.def; null where a row has no such type.
struct OpRow {
  const char* name;
  Kernel by_type[kTypes];
};

struct MemoryRow {
  Kernel load, load_n, store, store_n, load_strided, load_range, store_strided, gather, scatter, transpose,
      transpose_part, transpose_tiles, transpose_few;
};

struct VecKernels {
  const char* isa;
  int lanes;
  const OpRow* ops;
  int op_count;
  Kernel cast[kTypes][kTypes];  // [to][from]
  Kernel nearest_in;            // a, b, c: f32, out: i32
  Kernel nearest_byte;          // a, b: f32, c: i32, out: u8
  MemoryRow memory[kTypes];
  Kernel horizontal[kTypes];  // out: hsum, hprod, hmin, hmax, combine_lanes by sums
  Kernel fill[kTypes];        // out: iota(a[0]), set1(a[0]), zero, and lane(iota, n) in lane 0
  Kernel masks;         // a, b: b8. out: and, or, xor, not, select(a, b, not b), first_n(n), then any all none of a
  Kernel stream;        // nt_store of a to out, fence
  Kernel runtime_math;  // out[f * lanes + i] = function f of rt at the f64 vector a; then pow(a, b)
};

#define CPPGEN_ISA(isa, ...) extern const VecKernels kKernels_##isa;
#include "runtime/base/isas.def"

}  // namespace vec_test
