// The probes over vec of the instruction set that is included before this; PROBES names the table.
#include "bench/kernels/probes.h"
#include "vec/generic/kernel.h"
#include "vec/generic/math.h"

namespace cppgen::bench {
inline namespace VEC_ISA {

static float read_stream(const float* from, int64_t count) {
  constexpr int kVectors = 8;
  vec::V<float> sum[kVectors];
  for (auto& s : sum) s = vec::set1<float>(0);
  for (int64_t i = 0; i + kVectors * vec::L <= count; i += kVectors * vec::L)
    for (int u = 0; u < kVectors; u++) sum[u] = sum[u] + vec::load<float>(from + i + u * vec::L);
  for (int u = 1; u < kVectors; u++) sum[0] = sum[0] + sum[u];
  return vec::hsum(sum[0]);
}

static void write_stream(float* to, int64_t count) {
  const vec::V<float> x = vec::set1<float>(1);
  for (int64_t i = 0; i + vec::L <= count; i += vec::L) vec::store<float>(to + i, x);
}

// Enough independent chains to hide the latency of a multiply-add on two units, few enough for 16 registers.
static float multiply_add(int64_t rounds) {
  constexpr int kChains = 12;
  vec::V<float> sum[kChains];
#pragma GCC unroll 12
  for (int u = 0; u < kChains; u++) sum[u] = vec::set1<float>(float(u));
  const vec::V<float> a = vec::set1<float>(0.999f), b = vec::set1<float>(0.001f);
  for (int64_t r = 0; r < rounds; r++)
#pragma GCC unroll 12
    for (int u = 0; u < kChains; u++) {
      if constexpr (vec::has_fma)
        sum[u] = vec::fma(sum[u], a, b);
      else
        sum[u] = sum[u] * a + b;
      asm volatile("" : "+x"(sum[u]));  // neither contracted nor moved
    }
#pragma GCC unroll 12
  for (int u = 1; u < kChains; u++) sum[0] = sum[0] + sum[u];
  return vec::hsum(sum[0]);
}
static constexpr double kFlopsOfRound = 2.0 * 12 * vec::L;

#define PROBE(name, ...)                                                                            \
  static void apply_##name(const cppgen_runtime* rt, const float* from, float* to, int64_t count) { \
    (void)rt;                                                                                       \
    for (int64_t i = 0; i + vec::L <= count; i += vec::L) {                                         \
      const vec::V<float> x = vec::load<float>(from + i);                                           \
      vec::store<float>(to + i, __VA_ARGS__);                                                       \
    }                                                                                               \
  }
PROBE(exp, vec::exp(rt, x))
PROBE(tanh, vec::tanh(rt, x))
PROBE(sigmoid, vec::sigmoid(rt, x))
PROBE(erf, vec::erf(rt, x))
PROBE(sqrt, vec::sqrt(vec::abs(x)))
PROBE(divide, vec::div(vec::set1<float>(1), x))
#undef PROBE

static constexpr Probes::Function kFunctions[] = {{"exp", apply_exp},   {"tanh", apply_tanh},
                                                  {"erf", apply_erf},   {"sigmoid", apply_sigmoid},
                                                  {"sqrt", apply_sqrt}, {"divide", apply_divide}};

}  // namespace VEC_ISA

extern const Probes PROBES;
const Probes PROBES = {PROBES_FOLDER,
                       read_stream,
                       write_stream,
                       multiply_add,
                       kFlopsOfRound,
                       kFunctions,
                       int(sizeof kFunctions / sizeof *kFunctions)};

}  // namespace cppgen::bench
