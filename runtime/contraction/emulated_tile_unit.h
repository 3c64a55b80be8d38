// The tile unit of amx_tile_unit.h in plain C++: the reference for the self-check of AMX, and for tests. The operations
// are those of TDPBF16PS, TDPBSSD and TDPBUSD in the Intel 64 manual.
#pragma once

namespace cppgen::rt {

class EmulatedTileUnit {
 public:
  static EmulatedTileUnit& of_thread() {
    static thread_local EmulatedTileUnit unit;
    return unit;
  }
  void configure() { configured_ = true; }
  void release() { configured_ = false; }

  template <int T>
  void zero() {
    require(T);
    __builtin_memset(tiles_[T], 0, sizeof tiles_[T]);
  }
  template <int T>
  void load(const void* p, long stride) {
    require(T);
    for (int r = 0; r < kRows; r++) __builtin_memcpy(tiles_[T] + r * kRowBytes, (const char*)p + r * stride, kRowBytes);
  }
  template <int T>
  void store(void* p, long stride) {
    require(T);
    for (int r = 0; r < kRows; r++) __builtin_memcpy((char*)p + r * stride, tiles_[T] + r * kRowBytes, kRowBytes);
  }

  // Each row's sums of even and of odd products are fused multiply-adds that start at zero; then the two are added, and
  // the result to C.
  template <int C, int A, int B>
  void dot_bf16() {
    static_assert(C != A && C != B && A != B, "the three tiles of an instruction must differ");
    require(C), require(A), require(B);
    for (int m = 0; m < kRows; m++)
      for (int n = 0; n < kColumns; n++) {
        float sums[2] = {0, 0};
        for (int k = 0; k < kColumns; k++)
          for (int half = 0; half < 2; half++)
            sums[half] = fused(bfloat<A>(m, 2 * k + half), bfloat<B>(k, 2 * n + half), sums[half]);
        float c = get<float, C>(m, n);
        c = flushed(flushed(c) + flushed(sums[0] + sums[1]));
        set<float, C>(m, n, c);
      }
  }
  template <int C, int A, int B>
  void dot_i8() {
    dot_bytes<C, A, B, signed char>();
  }
  template <int C, int A, int B>
  void dot_u8() {
    dot_bytes<C, A, B, unsigned char>();
  }

 private:
  static constexpr int kTiles = 8, kRows = 16, kRowBytes = 64, kColumns = kRowBytes / 4;
  alignas(64) unsigned char tiles_[kTiles][kRows * kRowBytes] = {};
  bool configured_ = false;

  // An access without configuration raises an exception on the CPU.
  void require(int tile) const {
    if (!configured_ || tile >= kTiles) __builtin_trap();
  }

  template <class T, int Tile>
  T get(int row, int column) const {
    T value;
    __builtin_memcpy(&value, tiles_[Tile] + row * kRowBytes + column * int(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T, int Tile>
  void set(int row, int column, T value) {
    __builtin_memcpy(tiles_[Tile] + row * kRowBytes + column * int(sizeof(T)), &value, sizeof(T));
  }

  static float flushed(float x) {
    constexpr float kLeastNormal = 0x1p-126f;
    return x < kLeastNormal && x > -kLeastNormal ? __builtin_copysignf(0.0f, x) : x;
  }
  template <int Tile>
  float bfloat(int row, int column) const {
    const unsigned bits = unsigned(get<unsigned short, Tile>(row, column)) << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return flushed(value);
  }
  // The product is exact in double. So is the sum, unless one of the two is far below the last place of the other's
  // 24 bits; rounding to double first then changes nothing.
  static float fused(float a, float b, float sum) { return flushed(float(double(a) * double(b) + double(sum))); }

  template <int C, int A, int B, class Left>
  void dot_bytes() {
    static_assert(C != A && C != B && A != B, "the three tiles of an instruction must differ");
    require(C), require(A), require(B);
    for (int m = 0; m < kRows; m++)
      for (int n = 0; n < kColumns; n++) {
        unsigned sum = get<unsigned, C>(m, n);
        for (int k = 0; k < kRowBytes; k++)
          sum += unsigned(int(get<Left, A>(m, k)) * int(get<signed char, B>(k / 4, 4 * n + k % 4)));
        set<unsigned, C>(m, n, sum);
      }
  }
};

}  // namespace cppgen::rt
