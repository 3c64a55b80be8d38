// Loads, stores, gathers, transposes and whole-vector operations of vec, on every storage type and ISA.
#include <numeric>

#include "tests/isa/vec_test_support.h"

namespace vec_test {
namespace {

template <class T>
std::vector<T> some_values(size_t count, uint64_t seed = 9) {
  std::mt19937_64 random(seed);
  std::vector<T> v(count);
  for (T& x : v) {
    x = random_value<T>(random);
    // Loading and storing a half may set the quiet bit of a NaN: use numbers.
    if constexpr (std::is_same_v<T, ref::Half> || std::is_same_v<T, ref::Bfloat>) x.bits &= 0xbfff;
  }
  return v;
}

template <class T>
void expect_equal(const T* got, const T* want, size_t count, const char* what) {
  for (size_t i = 0; i < count; i++)
    ASSERT_TRUE(same(got[i], want[i])) << what << " at " << i << ": " << show(got[i]) << " not " << show(want[i]);
}

// Partial access up to the edge of readable memory, on both sides.
TEST(VecMemory, PartialAccessStopsAtN) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      SCOPED_TRACE(std::string(isa->isa) + " type " + std::to_string(type));
      const size_t lanes = size_t(isa->lanes);
      const std::vector<T> values = some_values<T>(lanes);
      for (size_t n = 0; n <= lanes; n++) {
        GuardedMemory source, target;
        T* in = static_cast<T*>(source.ending(n * sizeof(T)));
        std::copy_n(values.begin(), n, in);
        std::vector<T> got(lanes, from_bits<T>(~0ull)), want(lanes, T{});
        std::copy_n(values.begin(), n, want.begin());
        isa->memory[type].load_n({.a = in, .out = got.data(), .n = int(n)});
        expect_equal(got.data(), want.data(), lanes, "load");
        T* out = static_cast<T*>(target.ending(n * sizeof(T)));
        isa->memory[type].store_n({.a = values.data(), .out = out, .n = int(n)});
        expect_equal(out, values.data(), n, "store");
        for (char* p = static_cast<char*>(target.beginning()); p < reinterpret_cast<char*>(out); p++) ASSERT_EQ(*p, 0);
      }
    });
}

TEST(VecMemory, FullAccessNeedsNoAlignment) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      const size_t lanes = size_t(isa->lanes);
      const std::vector<T> values = some_values<T>(lanes);
      GuardedMemory memory;
      char* in = static_cast<char*>(memory.ending(lanes * sizeof(T)));
      std::memcpy(in, values.data(), lanes * sizeof(T));
      std::vector<char> buffer(2 * lanes * sizeof(T) + 64);
      for (size_t offset = 0; offset < 64; offset += sizeof(T)) {
        isa->memory[type].load({.a = in, .out = buffer.data() + offset});
        ASSERT_EQ(std::memcmp(buffer.data() + offset, values.data(), lanes * sizeof(T)), 0) << isa->isa << " " << type;
      }
    });
}

TEST(VecMemory, StridedAccess) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      SCOPED_TRACE(std::string(isa->isa) + " type " + std::to_string(type));
      const long lanes = isa->lanes;
      for (long stride : {1L, 2L, 3L, 17L, -1L, -5L, 0L})
        for (long n = 0; n <= lanes; n++) {
          const long span = 17 * lanes, start = stride < 0 ? span - 1 : 0;
          const std::vector<T> values = some_values<T>(size_t(span));
          std::vector<T> got(lanes, from_bits<T>(~0ull)), want(lanes, T{});
          for (long i = 0; i < n; i++) want[i] = values[start + i * stride];
          isa->memory[type].load_strided({.a = &values[start], .out = got.data(), .n = int(n), .stride = stride});
          expect_equal(got.data(), want.data(), lanes, "load_strided");
          std::vector<T> out(span, T{}), expected(span, T{});
          for (long i = 0; i < n; i++) expected[start + i * stride] = values[i];
          isa->memory[type].store_strided({.a = values.data(), .out = &out[start], .n = int(n), .stride = stride});
          expect_equal(out.data(), expected.data(), span, "store_strided");
        }
    });
}

TEST(VecMemory, RangesTakeTheFallbackElsewhere) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      SCOPED_TRACE(std::string(isa->isa) + " type " + std::to_string(type));
      const long lanes = isa->lanes;
      const std::vector<T> fallback = some_values<T>(size_t(lanes));
      GuardedMemory memory;
      for (long step : {0L, 1L, 2L, 3L})
        for (long n = 1; n <= lanes; n++)
          for (long lo = -1; lo <= lanes; lo++)
            for (long hi = lo; hi <= lanes + 1; hi += 1 + hi / 4) {
              const long begin = std::max(lo, 0L), end = std::min(hi, n), count = std::max(end - begin, 0L);
              const long span = count == 0 ? 0 : (count - 1) * step + 1;
              const std::vector<T> values = some_values<T>(size_t(span));
              T* there = static_cast<T*>(memory.ending(size_t(span) * sizeof(T)));  // nothing after it may be read
              if (span > 0) std::memcpy(static_cast<void*>(there), values.data(), size_t(span) * sizeof(T));
              std::vector<T> got(size_t(n), T{}), want = fallback;
              for (long i = begin; i < end; i++) want[size_t(i)] = values[size_t((i - begin) * step)];
              const long limits[2] = {lo, hi};
              isa->memory[type].load_range({.a = there - begin * step,
                                            .b = fallback.data(),
                                            .out = got.data(),
                                            .n = int(n),
                                            .stride = step,
                                            .index = limits});
              expect_equal(got.data(), want.data(), n, "ld_range");
            }
    });
}

TEST(VecMemory, GatherReadsActiveLanesOnlyAndScatterKeepsLaneOrder) {
  std::mt19937_64 random(3);
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      SCOPED_TRACE(std::string(isa->isa) + " type " + std::to_string(type));
      const long lanes = isa->lanes;
      const std::vector<T> values = some_values<T>(100);
      for (int round = 0; round < 50; round++) {
        std::vector<long> index(lanes);
        std::vector<ref::Bool> active(lanes);
        for (long i = 0; i < lanes; i++) {
          active[i].value = uint8_t(random() % 4 != 0);
          // An inactive lane's address is wild; few distinct values make collisions.
          index[i] = active[i].value ? long(random() % 10) - 5 : 0x7fffffffffff;
        }
        std::vector<T> got(lanes, from_bits<T>(~0ull)), want(lanes, T{}), out(100, T{}), expected(100, T{});
        for (long i = 0; i < lanes; i++)
          if (active[i].value) want[i] = values[50 + index[i]], expected[50 + index[i]] = values[i];
        isa->memory[type].gather({.a = &values[50], .b = active.data(), .out = got.data(), .index = index.data()});
        expect_equal(got.data(), want.data(), lanes, "gather");
        isa->memory[type].scatter({.a = values.data(), .b = active.data(), .out = &out[50], .index = index.data()});
        expect_equal(out.data(), expected.data(), 100, "scatter");
      }
    });
}

// Element (i, j) of `in` becomes element (j, i); nothing else is written.
template <class T>
void expect_transposed(Kernel kernel, long rows, long columns, long in_stride) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns);
  const long out_stride = rows + 5;
  GuardedMemory memory;
  const size_t count = rows == 0 || columns == 0 ? 0 : size_t((rows - 1) * in_stride + columns);
  const std::vector<T> values = some_values<T>(count);
  T* in = static_cast<T*>(memory.ending(count * sizeof(T)));
  std::copy(values.begin(), values.end(), in);
  std::vector<T> got(size_t(columns * out_stride + 1), T{}), want = got;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++) want[size_t(j * out_stride + i)] = in[i * in_stride + j];
  kernel({.a = in, .out = got.data(), .count = columns, .n = int(rows), .stride = in_stride, .out_stride = out_stride});
  expect_equal(got.data(), want.data(), got.size(), "transpose");
}

TEST(VecMemory, Transposes) {
  for (const VecKernels* isa : runnable())
    for_each_storage([&]<class T>(T, TypeId type) {
      SCOPED_TRACE(std::string(isa->isa) + " type " + std::to_string(type));
      const MemoryRow& memory = isa->memory[type];
      const long side = sizeof(T) < 4 ? long(16 / sizeof(T)) : isa->lanes;
      expect_transposed<T>(memory.transpose, side, side, side + 3);
      for (long rows : {0L, 1L, 7L, side, side + 1, 3 * side - 1})
        for (long columns : {0L, 1L, 5L, side, 2 * side + 3}) {
          if (rows <= side && columns <= side) expect_transposed<T>(memory.transpose_part, rows, columns, side + 3);
          expect_transposed<T>(memory.transpose_tiles, rows, columns, columns + 3);
        }
      if (sizeof(T) <= 4)
        for (long columns : {2L, 3L, 4L})
          for (long rows : {0L, 1L, 7L, 8L, 9L, 31L, 32L, 67L})
            expect_transposed<T>(memory.transpose_few, rows, columns, columns);
    });
}

// The documented tree: lane i with lane i + half.
template <class T, class F>
T tree(std::vector<T> v, F combine) {
  for (size_t half = v.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++) v[i] = combine(v[i], v[i + half]);
  return v[0];
}
TEST(VecWhole, HorizontalReductionsFollowTheTree) {
  std::mt19937_64 random(8);
  for (const VecKernels* isa : runnable())
    for_each_type([&]<class T>(T, TypeId type) {
      for (int round = 0; round < 200; round++) {
        std::vector<T> v(isa->lanes);
        for (T& x : v) x = round % 4 == 3 ? random_value<T>(random) : T(int64_t(random() % 4000) - 2000) / T(16);
        T got[5];
        isa->horizontal[type]({.a = v.data(), .out = got});
        const T want[5] = {tree(v, ref::add<T>), tree(v, ref::mul<T>), tree(v, ref::min<T>), tree(v, ref::max<T>),
                           std::accumulate(v.begin() + 1, v.end(), v[0], ref::add<T>)};
        for (int i = 0; i < 5; i++)
          ASSERT_TRUE(same(got[i], want[i]))
              << isa->isa << " type " << type << " reduction " << i << ": " << show(got[i]) << " not " << show(want[i]);
      }
    });
}

TEST(VecWhole, FillsAndLanes) {
  for (const VecKernels* isa : runnable())
    for_each_type([&]<class T>(T, TypeId type) {
      const int lanes = isa->lanes;
      for (int start : {0, 1, 100})
        for (int i = 0; i < lanes; i++) {
          const T first = T(start);
          std::vector<T> out(3 * lanes + 1, T(77));
          isa->fill[type]({.a = &first, .out = out.data(), .n = i});
          for (int j = 0; j < lanes; j++) {
            ASSERT_EQ(out[j], T(start + j)) << isa->isa << " type " << type;
            ASSERT_EQ(out[lanes + j], first);
            ASSERT_TRUE(same(out[2 * lanes + j], T(0)));
          }
          ASSERT_EQ(out[3 * lanes], T(start + i));
        }
    });
}

TEST(VecWhole, Masks) {
  std::mt19937_64 random(8);
  for (const VecKernels* isa : runnable()) {
    const int lanes = isa->lanes;
    for (int round = 0; round < 300; round++) {
      std::vector<uint8_t> a(lanes), b(lanes), out(6 * lanes + 3);
      for (int i = 0; i < lanes; i++)
        a[i] = round == 0 ? 0 : round == 1 ? 1 : uint8_t(random() % 2), b[i] = uint8_t(random() % 2);
      const int n = round % (lanes + 1);
      isa->masks({.a = a.data(), .b = b.data(), .out = out.data(), .n = n});
      for (int i = 0; i < lanes; i++) {
        ASSERT_EQ(out[i], a[i] & b[i]);
        ASSERT_EQ(out[lanes + i], a[i] | b[i]);
        ASSERT_EQ(out[2 * lanes + i], a[i] ^ b[i]);
        ASSERT_EQ(out[3 * lanes + i], !a[i]);
        ASSERT_EQ(out[4 * lanes + i], a[i] ? b[i] : !b[i]);
        ASSERT_EQ(out[5 * lanes + i], i < n) << isa->isa;
      }
      const int set = int(std::count(a.begin(), a.end(), 1));
      ASSERT_EQ(out[6 * lanes], set > 0);
      ASSERT_EQ(out[6 * lanes + 1], set == lanes);
      ASSERT_EQ(out[6 * lanes + 2], set == 0);
    }
  }
}

TEST(VecMemory, StreamingStore) {
  alignas(64) float out[16] = {};
  const std::vector<float> in = some_values<float>(16);
  for (const VecKernels* isa : runnable()) {
    std::memset(out, 0, sizeof out);
    isa->stream({.a = in.data(), .out = out});
    EXPECT_EQ(std::memcmp(out, in.data(), size_t(isa->lanes) * 4), 0) << isa->isa;
  }
}

}  // namespace
}  // namespace vec_test
