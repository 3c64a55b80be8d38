// The tile unit of AMX, for kernels over a tile unit. It has eight tiles, all of 16 rows of 64 bytes.
//   of_thread()            the unit of the calling thread
//   configure()            before anything else on a thread; release() afterwards. Both take longer than a product.
//   zero<T>()              tile T = 0
//   load<T>(p, stride)     16 rows of 64 bytes, `stride` bytes apart
//   store<T>(p, stride)
//   dot_bf16<C, A, B>()    C (float32) += A (rows of bfloat16 pairs) * B (pairs of rows, interleaved by column)
//   dot_i8<C, A, B>()      C (int32) += A (quadruples of int8) * B (quadruples of rows, interleaved by column)
//   dot_u8<C, A, B>()      the same with A of uint8
// Inline assembly with operands in memory: intrinsics of GCC 12 do not tell the compiler what they read.
#pragma once

namespace cppgen::rt {

// Palette 1: see the description of LDTILECFG in the Intel 64 manual.
struct alignas(64) AmxTileConfiguration {
  unsigned char palette, start_row, reserved[14];
  unsigned short row_bytes[16];
  unsigned char rows[16];
};
static_assert(sizeof(AmxTileConfiguration) == 64);

inline constexpr AmxTileConfiguration kAmxFullTiles = {
    1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

class AmxTileUnit {
 public:
  __attribute__((always_inline)) static AmxTileUnit of_thread() { return {}; }
  __attribute__((always_inline)) static void configure() { asm volatile("ldtilecfg %0" : : "m"(kAmxFullTiles)); }
  __attribute__((always_inline)) static void release() { asm volatile("tilerelease"); }

  template <int T>
  __attribute__((always_inline)) static void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(T));
  }
  template <int T>
  __attribute__((always_inline)) static void load(const void* p, long stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"(stride), "i"(T) : "memory");
  }
  template <int T>
  __attribute__((always_inline)) static void store(void* p, long stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"(stride), "i"(T) : "memory");
  }
  template <int C, int A, int B>
  __attribute__((always_inline)) static void dot_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
  template <int C, int A, int B>
  __attribute__((always_inline)) static void dot_i8() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
  template <int C, int A, int B>
  __attribute__((always_inline)) static void dot_u8() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
  }
};

}  // namespace cppgen::rt
