// The kernels of vec_kernels.h over the vec header that was included before. Compiled once per ISA.
#pragma once
#include "tests/isa/vec_kernels.h"
#include "vec/generic/kernel.h"
#include "vec/generic/math.h"

struct cppgen_runtime {
  double (*const* unary_f64)(double);
  double (*pow_f64)(double, double);
};

namespace vec_test {
namespace {

using namespace vec;

// Names for operators, so that every operation is called alike.
template <class T>
V<T> add(V<T> a, V<T> b) {
  return a + b;
}
template <class T>
V<T> sub(V<T> a, V<T> b) {
  return a - b;
}
template <class T>
V<T> mul(V<T> a, V<T> b) {
  return a * b;
}
template <class T>
V<T> select_less(V<T> a, V<T> b, V<T> c) {
  return vec::select(lt(a, b), c, a);
}

template <class T>
void put(void* out, long i, V<T> x) {
  vec::store((T*)out + i, x);
}
void put(void* out, long i, M x) { vec::store((b8*)out + i, x); }
template <class T>
V<T> get(const void* in, long i) {
  return vec::load((const T*)in + i);
}

#define KERNEL1(name)                                                                   \
  template <class T>                                                                    \
  void run_##name(const Call& call) {                                                   \
    for (long i = 0; i < call.count; i += L) put(call.out, i, name(get<T>(call.a, i))); \
  }
#define KERNEL2(name)                                                                                      \
  template <class T>                                                                                       \
  void run_##name(const Call& call) {                                                                      \
    for (long i = 0; i < call.count; i += L) put(call.out, i, name(get<T>(call.a, i), get<T>(call.b, i))); \
  }
#define KERNEL3(name)                                                                  \
  template <class T>                                                                   \
  void run_##name(const Call& call) {                                                  \
    for (long i = 0; i < call.count; i += L)                                           \
      put(call.out, i, name(get<T>(call.a, i), get<T>(call.b, i), get<T>(call.c, i))); \
  }
#define UNARY(name, types) KERNEL1(name)
#define BINARY(name, types) KERNEL2(name)
#define TERNARY(name, types) KERNEL3(name)
#define TEST1(name, types) KERNEL1(name)
#define TEST2(name, types) KERNEL2(name)
#include "tests/isa/vec_ops.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef TEST1
#undef TEST2

#define ALL(f) f<f32>, f<f64>, f<i8>, f<i16>, f<i32>, f<i64>, f<u8>, f<u16>, f<u32>, f<u64>
#define INTS(f) nullptr, nullptr, f<i8>, f<i16>, f<i32>, f<i64>, f<u8>, f<u16>, f<u32>, f<u64>
#define FLOATS(f) f<f32>, f<f64>
#define ROW(name, types) {#name, {types(run_##name)}},
#define UNARY ROW
#define BINARY ROW
#define TERNARY ROW
#define TEST1 ROW
#define TEST2 ROW
constexpr OpRow kOps[] = {
#include "tests/isa/vec_ops.def"
};

// ---- casts: from every type, to every type ----
template <class To, class From>
void run_cast(const Call& call) {
  for (long i = 0; i < call.count; i += L)
    vec::store((To*)call.out + i, vec::cast<To>(vec::load((const From*)call.a + i)));
}
void run_nearest_in(const Call& call) {
  for (long i = 0; i < call.count; i += L)
    put(call.out, i, nearest_in(get<f32>(call.a, i), get<f32>(call.b, i), get<f32>(call.c, i)));
}
void run_nearest_byte(const Call& call) {
  for (long i = 0; i < call.count; i += L)
    vec::store((u8*)call.out + i, nearest_byte(get<f32>(call.a, i), get<f32>(call.b, i), get<i32>(call.c, i)));
}
#define STORAGE(f, ...)                                                                                    \
  {                                                                                                        \
    f<__VA_ARGS__ f32>, f<__VA_ARGS__ f64>, f<__VA_ARGS__ i8>, f<__VA_ARGS__ i16>, f<__VA_ARGS__ i32>,     \
        f<__VA_ARGS__ i64>, f<__VA_ARGS__ u8>, f<__VA_ARGS__ u16>, f<__VA_ARGS__ u32>, f<__VA_ARGS__ u64>, \
        f<__VA_ARGS__ f16>, f<__VA_ARGS__ bf16>, f<__VA_ARGS__ b8>, f<__VA_ARGS__ f8e4m3fn>,               \
        f<__VA_ARGS__ f8e4m3fnuz>, f<__VA_ARGS__ f8e5m2>, f<__VA_ARGS__ f8e5m2fnuz>                        \
  }
#define COMMA ,
#define CASTS(To) STORAGE(run_cast, To COMMA)

// ---- memory ----
template <class T>
struct Memory {
  static void load(const Call& c) { vec::store((T*)c.out, vec::load((const T*)c.a)); }
  static void load_n(const Call& c) { vec::store((T*)c.out, vec::load((const T*)c.a, c.n)); }
  static void store(const Call& c) { vec::store((T*)c.out, vec::load<T>((const T*)c.a)); }
  static void store_n(const Call& c) { vec::store((T*)c.out, vec::load((const T*)c.a), c.n); }
  static void load_strided(const Call& c) { vec::store((T*)c.out, vec::load_strided((const T*)c.a, c.stride, c.n)); }
  // index: the lanes that exist begin and end there; b: a vector for the others
  static void load_range(const Call& c) {
    const auto x =
        vec::ld_range((const T*)c.a, c.stride, c.index[0], c.index[1], vec::Tail{c.n}, vec::load((const T*)c.b));
    vec::store((T*)c.out, x, c.n);
  }
  static void store_strided(const Call& c) { vec::store_strided((T*)c.out, c.stride, vec::load((const T*)c.a), c.n); }
  static void gather(const Call& c) {
    vec::store((T*)c.out, vec::gather((const T*)c.a, vec::load((const i64*)c.index), vec::load((const b8*)c.b)));
  }
  static void scatter(const Call& c) {
    vec::scatter((T*)c.out, vec::load((const i64*)c.index), vec::load((const T*)c.a), vec::load((const b8*)c.b));
  }
  static void transpose(const Call& c) {
    transpose_tile((T*)c.out, c.out_stride, (const T*)c.a, c.stride);
  }  // a full tile
  static void transpose_part(const Call& c) {
    transpose_tile((T*)c.out, c.out_stride, (const T*)c.a, c.stride, c.n, int(c.count));
  }
  static void transpose_tiles(const Call& c) {
    vec::transpose_tiles((T*)c.out, c.out_stride, (const T*)c.a, c.stride, c.n, int(c.count));
  }
  // count: the columns, 2, 3 or 4
  static void transpose_few(const Call& c) {
    T* const out = (T*)c.out;
    const T* const in = (const T*)c.a;
    if constexpr (sizeof(T) <= 4) {
      if (c.count == 2) transpose_few_columns<2>(out, c.out_stride, in, c.n);
      if (c.count == 3) transpose_few_columns<3>(out, c.out_stride, in, c.n);
      if (c.count == 4) transpose_few_columns<4>(out, c.out_stride, in, c.n);
    }
  }
};
#define MEMORY(T)                                                                                                     \
  {                                                                                                                   \
    Memory<T>::load, Memory<T>::load_n, Memory<T>::store, Memory<T>::store_n, Memory<T>::load_strided,                \
        Memory<T>::load_range, Memory<T>::store_strided, Memory<T>::gather, Memory<T>::scatter, Memory<T>::transpose, \
        Memory<T>::transpose_part, Memory<T>::transpose_tiles, Memory<T>::transpose_few                               \
  }

// ---- whole vectors ----
template <class T>
void run_horizontal(const Call& c) {
  const V<T> x = vec::load((const T*)c.a);
  T* out = (T*)c.out;
  out[0] = hsum(x);
  out[1] = hprod(x);
  out[2] = hmin(x);
  out[3] = hmax(x);
  out[4] = lane(combine_lanes(x, [](V<T> a, V<T> b) CPPGEN_LAMBDA { return a + b; }), L - 1);
}
template <class T>
void run_fill(const Call& c) {
  const T start = *(const T*)c.a;
  T* out = (T*)c.out;
  vec::store(out, iota<T>(start));
  vec::store(out + L, set1<T>(start));
  vec::store(out + 2 * L, zero<T>());
  out[3 * L] = lane(iota<T>(start), c.n);
}
void run_masks(const Call& c) {
  const M a = vec::load((const b8*)c.a), b = vec::load((const b8*)c.b);
  b8* out = (b8*)c.out;
  vec::store(out, m_and(a, b));
  vec::store(out + L, m_or(a, b));
  vec::store(out + 2 * L, m_xor(a, b));
  vec::store(out + 3 * L, m_not(a));
  vec::store(out + 4 * L, vec::select(a, b, m_not(b)));
  vec::store(out + 5 * L, first_n(c.n));
  out[6 * L].value = hany(a);
  out[6 * L + 1].value = hall(a);
  out[6 * L + 2].value = none(a);
}
void run_stream(const Call& c) {
  nt_store((f32*)c.out, vec::load((const f32*)c.a));
  fence();
}

void run_runtime_math(const Call& c) {
  const V<f64> x = vec::load((const f64*)c.a);
  f64* out = (f64*)c.out;
#define MATH(name)                     \
  vec::store(out, vec::name(c.rt, x)); \
  out += L;
#include "runtime/abi/math_functions.def"
#undef MATH
  vec::store(out, vec::pow(c.rt, x, vec::load((const f64*)c.b)));
}

}  // namespace

static constexpr VecKernels make_kernels(const char* isa) {
  return {isa,
          L,
          kOps,
          sizeof kOps / sizeof kOps[0],
          {CASTS(f32), CASTS(f64), CASTS(i8), CASTS(i16), CASTS(i32), CASTS(i64), CASTS(u8), CASTS(u16), CASTS(u32),
           CASTS(u64), CASTS(f16), CASTS(bf16), CASTS(b8), CASTS(f8e4m3fn), CASTS(f8e4m3fnuz), CASTS(f8e5m2),
           CASTS(f8e5m2fnuz)},
          run_nearest_in,
          run_nearest_byte,
          {MEMORY(f32), MEMORY(f64), MEMORY(i8), MEMORY(i16), MEMORY(i32), MEMORY(i64), MEMORY(u8), MEMORY(u16),
           MEMORY(u32), MEMORY(u64), MEMORY(f16), MEMORY(bf16), MEMORY(b8), MEMORY(f8e4m3fn), MEMORY(f8e4m3fnuz),
           MEMORY(f8e5m2), MEMORY(f8e5m2fnuz)},
          {ALL(run_horizontal)},
          {ALL(run_fill)},
          run_masks,
          run_stream,
          run_runtime_math};
}

}  // namespace vec_test
