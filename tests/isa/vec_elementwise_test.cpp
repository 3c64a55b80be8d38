// Every element-wise operation and conversion of vec, on every type and ISA, against vec_reference.h.
#include <algorithm>
#include <cmath>

#include "tests/isa/vec_test_support.h"

namespace vec_test {
namespace {

constexpr size_t kCount = 1 << 15;

using RefKernel = void (*)(const Call&);

#define REF(name, Result, ...)                                                           \
  template <class T>                                                                     \
  void ref_##name(const Call& c) {                                                       \
    [[maybe_unused]] const T *a = (const T*)c.a, *b = (const T*)c.b, *d = (const T*)c.c; \
    for (long i = 0; i < c.count; i++) ((Result*)c.out)[i] = ref::name(__VA_ARGS__);     \
  }
#define UNARY(name, types) REF(name, T, a[i])
#define BINARY(name, types) REF(name, T, a[i], b[i])
#define TERNARY(name, types) REF(name, T, a[i], b[i], d[i])
#define TEST1(name, types) REF(name, uint8_t, a[i])
#define TEST2(name, types) REF(name, uint8_t, a[i], b[i])
#include "tests/isa/vec_ops.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef TEST1
#undef TEST2

#define ALL(f) \
  f<float>, f<double>, f<int8_t>, f<int16_t>, f<int32_t>, f<int64_t>, f<uint8_t>, f<uint16_t>, f<uint32_t>, f<uint64_t>
#define INTS(f) \
  nullptr, nullptr, f<int8_t>, f<int16_t>, f<int32_t>, f<int64_t>, f<uint8_t>, f<uint16_t>, f<uint32_t>, f<uint64_t>
#define FLOATS(f) f<float>, f<double>
struct Row {
  const char* name;
  int operands;
  bool is_test;
  RefKernel by_type[kTypes];
};
#define UNARY(name, types) {#name, 1, false, {types(ref_##name)}},
#define BINARY(name, types) {#name, 2, false, {types(ref_##name)}},
#define TERNARY(name, types) {#name, 3, false, {types(ref_##name)}},
#define TEST1(name, types) {#name, 1, true, {types(ref_##name)}},
#define TEST2(name, types) {#name, 2, true, {types(ref_##name)}},
constexpr Row kRows[] = {
#include "tests/isa/vec_ops.def"
};

template <class Result, class T>
void expect_same(const VecKernels& isa, const Row& row, const std::vector<T> (&in)[3], const std::vector<Result>& got,
                 const std::vector<Result>& want) {
  int reported = 0;
  for (size_t i = 0; i < got.size() && reported < 3; i++) {
    if (same(got[i], want[i])) continue;
    reported++;
    ADD_FAILURE() << isa.isa << " " << row.name << " of " << show(in[0][i]) << " " << show(in[1][i]) << " "
                  << show(in[2][i]) << " gives " << show(got[i]) << ", not " << show(want[i]) << " (size " << sizeof(T)
                  << ", " << (std::is_signed_v<T> ? "signed" : "unsigned") << ")";
  }
}

template <class Result, class T>
void compare_op(const VecKernels& isa, const Row& row, Kernel kernel, RefKernel reference,
                const std::vector<T> (&in)[3]) {
  std::vector<Result> got(kCount), want(kCount);
  Call call{.a = in[0].data(), .b = in[1].data(), .c = in[2].data(), .out = got.data(), .count = long(kCount)};
  kernel(call);
  call.out = want.data();
  reference(call);
  expect_same(isa, row, in, got, want);
}

TEST(VecElementwise, EveryOperationTypeAndIsa) {
  for (const VecKernels* isa : runnable()) {
    ASSERT_EQ(isa->op_count, int(std::size(kRows)));
    for_each_type([&]<class T>(T, TypeId type) {
      const size_t specials = special_values<T>().size();
      std::vector<T> in[3] = {operand_values<T>(1, kCount, 1), operand_values<T>(specials, kCount, 2),
                              operand_values<T>(7, kCount, 3)};
      for (int i = 0; i < isa->op_count; i++) {
        const Row& row = kRows[i];
        ASSERT_STREQ(row.name, isa->ops[i].name);
        const Kernel kernel = isa->ops[i].by_type[type];
        ASSERT_EQ(kernel == nullptr, row.by_type[type] == nullptr) << row.name;
        if (!kernel) continue;
        if (row.is_test)
          compare_op<uint8_t>(*isa, row, kernel, row.by_type[type], in);
        else
          compare_op<T>(*isa, row, kernel, row.by_type[type], in);
      }
    });
  }
}

// Narrow types have few enough values for all pairs.
TEST(VecElementwise, AllPairsOfBytes) {
  for (const VecKernels* isa : runnable())
    for_each_type([&]<class T>(T, TypeId type) {
      if constexpr (sizeof(T) == 1) {
        std::vector<T> in[3] = {std::vector<T>(1 << 16), std::vector<T>(1 << 16), std::vector<T>(1 << 16)};
        for (int i = 0; i < 1 << 16; i++) in[0][i] = T(i), in[1][i] = T(i >> 8);
        for (int i = 0; i < isa->op_count; i++) {
          if (kRows[i].operands != 2 || kRows[i].is_test || !kRows[i].by_type[type]) continue;
          std::vector<T> got(1 << 16), want(1 << 16);
          Call call{.a = in[0].data(), .b = in[1].data(), .out = got.data(), .count = 1 << 16};
          isa->ops[i].by_type[type](call);
          call.out = want.data();
          kRows[i].by_type[type](call);
          expect_same(*isa, kRows[i], in, got, want);
        }
      }
    });
}

// The difficult cases of a fused multiply-add: cancellation, ties, results around the subnormal range.
template <class T>
void stress_fma(const VecKernels& isa, TypeId type) {
  std::mt19937_64 random(5);
  std::vector<T> a(kCount), b(kCount), c(kCount), got(kCount);
  const int range = std::is_same_v<T, float> ? 90 : 700;
  auto value = [&](int low, int high) {
    const int few_bits = int(random() % 3);
    double m = few_bits ? double(random() % 64 + 64) : double(random() >> 11);
    m *= random() & 1 ? 1 : -1;
    return T(std::ldexp(m, low + int(random() % uint64_t(high - low))));
  };
  for (size_t i = 0; i < kCount; i++) {
    a[i] = value(-range, range);
    b[i] = value(-range, range);
    const T product = a[i] * b[i];
    c[i] = i % 4 == 0 ? value(-range, range)
                      : T(-product * (1 + T(int(random() % 5) - 2) * std::numeric_limits<T>::epsilon()));
  }
  int fma_row = 0;
  while (std::strcmp(kRows[fma_row].name, "fma")) fma_row++;
  isa.ops[fma_row].by_type[type](
      {.a = a.data(), .b = b.data(), .c = c.data(), .out = got.data(), .count = long(kCount)});
  for (size_t i = 0; i < kCount; i++)
    ASSERT_TRUE(same(got[i], std::fma(a[i], b[i], c[i])))
        << isa.isa << " " << show(a[i]) << " * " << show(b[i]) << " + " << show(c[i]) << " gives " << show(got[i])
        << ", not " << show(std::fma(a[i], b[i], c[i]));
}
TEST(VecElementwise, FmaRoundsOnce) {
  for (const VecKernels* isa : runnable()) {
    stress_fma<float>(*isa, kF32);
    stress_fma<double>(*isa, kF64);
  }
}

template <class To, class From>
void compare_cast(const VecKernels& isa, TypeId to, TypeId from, const std::vector<From>& in) {
  std::vector<To> got(in.size());
  isa.cast[to][from]({.a = in.data(), .out = got.data(), .count = long(in.size())});
  for (size_t i = 0; i < in.size(); i++)
    ASSERT_TRUE(same(got[i], ref::convert<To>(in[i])))
        << isa.isa << " type " << from << " to " << to << " of " << show(in[i]) << " gives " << show(got[i]) << ", not "
        << show(ref::convert<To>(in[i]));
}
TEST(VecElementwise, CastsBetweenAllTypes) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class From>(From, TypeId from) {
      const std::vector<From> in = operand_values<From>(1, 1 << 13, 4);
      for_each_storage([&]<class To>(To, TypeId to) { compare_cast<To, From>(*isa, to, from, in); });
    });
}

TEST(VecElementwise, TheNearestIntegerWithinARange) {
  const std::vector<float> x = operand_values<float>(1, 1 << 13, 4);
  std::vector<float> least, most;
  for (size_t i = 0; i < x.size(); i++) least.push_back(-float(i % 256)), most.push_back(255 - float(i % 256));
  for (const VecKernels* isa : runnable()) {
    std::vector<int32_t> got(x.size());
    isa->nearest_in({.a = x.data(), .b = least.data(), .c = most.data(), .out = got.data(), .count = long(x.size())});
    for (size_t i = 0; i < x.size(); i++) {
      const float inside = std::isnan(x[i]) ? least[i] : std::clamp(x[i], least[i], most[i]);
      ASSERT_EQ(got[i], int32_t(std::nearbyint(inside))) << isa->isa << " of " << show(x[i]);
    }
  }
}

TEST(VecElementwise, TheNearestByteFromAnyLeastInteger) {
  const std::vector<float> x = operand_values<float>(1, 1 << 13, 4);
  std::vector<float> least;
  std::vector<int32_t> offset;
  for (size_t i = 0; i < x.size(); i++) least.push_back(-float(i % 256)), offset.push_back(int32_t(i % 256));
  for (const VecKernels* isa : runnable()) {
    std::vector<uint8_t> got(x.size());
    isa->nearest_byte(
        {.a = x.data(), .b = least.data(), .c = offset.data(), .out = got.data(), .count = long(x.size())});
    for (size_t i = 0; i < x.size(); i++) {
      const float inside = std::isnan(x[i]) ? least[i] : std::clamp(x[i], least[i], least[i] + 255);
      ASSERT_EQ(int(got[i]), int(std::nearbyint(inside)) + offset[i]) << isa->isa << " of " << show(x[i]);
    }
  }
}

TEST(VecElementwise, AllHalvesAndTheirNeighbours) {
  std::vector<ref::Half> halves(1 << 16);
  std::vector<ref::Bfloat> bfloats(1 << 16);
  std::vector<float> floats;
  for (uint32_t i = 0; i < 1 << 16; i++) {
    halves[i].bits = bfloats[i].bits = uint16_t(i);
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      floats.push_back(std::bit_cast<float>(i << 16 | low));
    // Around the middle between neighbouring halves.
    for (uint32_t d : {0xfffu, 0x1000u, 0x1001u})
      floats.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(float(ref::to_value(halves[i]))) + d));
  }
  floats.resize(floats.size() / 16 * 16);
  for (const VecKernels* isa : runnable()) {
    compare_cast<float>(*isa, kF32, kF16, halves);
    compare_cast<float>(*isa, kF32, kBf16, bfloats);
    compare_cast<ref::Half>(*isa, kF16, kF32, floats);
    compare_cast<ref::Bfloat>(*isa, kBf16, kF32, floats);
  }
}

template <class T>
void compare_float8(const VecKernels& isa, TypeId type, const std::vector<float>& floats) {
  std::vector<T> codes(256);
  for (int i = 0; i < 256; i++) codes[size_t(i)].bits = uint8_t(i);
  compare_cast<float>(isa, kF32, type, codes);
  compare_cast<T>(isa, type, kF32, floats);
  std::vector<ref::Half> halves(1 << 16);
  std::vector<ref::Bfloat> bfloats(1 << 16);
  for (uint32_t i = 0; i < 1 << 16; i++) halves[i].bits = bfloats[i].bits = uint16_t(i);
  compare_cast<T>(isa, type, kF16, halves);
  compare_cast<T>(isa, type, kBf16, bfloats);
}

// All codes, halves, bfloats; of float32 all upper halves with lower ones around ties: numbers of eight bits, and what
// is midway between two of them, have no bits there.
TEST(VecElementwise, AllFloat8) {
  std::vector<float> floats;
  for (uint32_t i = 0; i < 1 << 16; i++)
    for (uint32_t low : {0u, 1u, 0x8000u, 0xffffu}) floats.push_back(std::bit_cast<float>(i << 16 | low));
  for (const VecKernels* isa : runnable()) {
    compare_float8<ref::Float8E4M3>(*isa, kF8E4M3, floats);
    compare_float8<ref::Float8E4M3Fnuz>(*isa, kF8E4M3Fnuz, floats);
    compare_float8<ref::Float8E5M2>(*isa, kF8E5M2, floats);
    compare_float8<ref::Float8E5M2Fnuz>(*isa, kF8E5M2Fnuz, floats);
  }
}

}  // namespace
}  // namespace vec_test
