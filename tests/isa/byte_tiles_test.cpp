// Contraction tiles of bytes on every ISA that this CPU runs: exact sums, extremes that saturating instructions get
// wrong, and rows that end where nothing may be read any more.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include "isa/vec_isa.h"
#include "runtime/contraction/tile.h"

namespace {

using namespace cppgen::rt;

constexpr TileFormat kFormats[] = {TileFormat::u8s8, TileFormat::s8s8};
constexpr TileFormat kWideFormats[] = {TileFormat::u8s8_wide, TileFormat::s8s8_wide};

// Every instruction set has the narrow ones.
std::vector<TileFormat> formats_of(const cppgen::VecISA& isa) {
  std::vector<TileFormat> list(std::begin(kFormats), std::end(kFormats));
  for (TileFormat format : kWideFormats)
    if (tile_shape(isa.name, format).mr > 0) list.push_back(format);
  return list;
}

// All, for they differ in these tiles.
std::vector<const cppgen::VecISA*> runnable_isas() {
  std::vector<const cppgen::VecISA*> list;
  const cppgen::CpuFeatures cpu = cppgen::detect_cpu_features();
  for (const cppgen::VecISA& isa : cppgen::all_isas())
    if (cpu.has_all(isa.required)) list.push_back(&isa);
  return list;
}

int left_value(TileFormat format, uint8_t byte) {
  return info(format).left == cppgen::DType::i8 ? int8_t(byte) : int(byte);
}

// Bytes whose last one is the last of a page; the next page cannot be read.
class AtPageEnd {
 public:
  explicit AtPageEnd(size_t bytes) : page_(size_t(sysconf(_SC_PAGESIZE))), size_((bytes / page_ + 2) * page_) {
    map_ = static_cast<uint8_t*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(map_ + size_ - page_, page_, PROT_NONE);
    data_ = map_ + size_ - page_ - bytes;
  }
  ~AtPageEnd() { munmap(map_, size_); }
  AtPageEnd(const AtPageEnd&) = delete;
  uint8_t* data() const { return data_; }

 private:
  size_t page_, size_;
  uint8_t *map_, *data_;
};

struct Case {
  const cppgen::VecISA& isa;
  TileFormat format;
  int rows;
  long taps, k;
};

// Computes a tile that prefetches what is `ahead` bytes behind the panel.
void expect_sums(const Case& c, const std::vector<const void*>& left, const uint8_t* panel, long ahead) {
  const int nr = tile_shape(c.isa.name, c.format).nr;
  const long groups = (c.k + 3) / 4, ldc = nr + 3;
  std::vector<int> block(size_t(c.rows * ldc), 99);
  runtime_table(c.isa.name)->tiles[size_t(c.format)][c.rows](left.data(), c.taps, c.k, panel, block.data(), ldc, ahead);
  for (int r = 0; r < c.rows; r++)
    for (int j = 0; j < nr; j++) {
      int64_t want = 0;
      for (long t = 0; t < c.taps; t++)
        for (long k = 0; k < c.k; k++)
          want += left_value(c.format, static_cast<const uint8_t*>(left[size_t(t * c.rows + r)])[k]) *
                  int8_t(panel[((t * groups + k / 4) * nr + j) * 4 + k % 4]);
      ASSERT_EQ(block[size_t(r * ldc + j)], int(want)) << c.isa.name << " " << info(c.format).name << " rows " << c.rows
                                                       << " taps " << c.taps << " K " << c.k << " at " << r << "," << j;
      if (r + 1 < c.rows && j < 3) {
        ASSERT_EQ(block[size_t(r * ldc + nr + j)], 99);
      }
    }
}

// `fill` gives the bytes of the left rows and of the panel.
template <class Fill>
void check_tile(const Case& c, Fill fill) {
  const int nr = tile_shape(c.isa.name, c.format).nr;
  const long groups = (c.k + 3) / 4, row_count = c.taps * c.rows;
  AtPageEnd rows(size_t(row_count * c.k));
  for (long i = 0; i < row_count * c.k; i++) rows.data()[i] = fill(0);
  alignas(64) static uint8_t panel[1 << 18];
  ASSERT_LE(size_t(c.taps * groups * nr * 4), sizeof panel);
  for (long i = 0; i < c.taps * groups * nr * 4; i++) panel[i] = i / (nr * 4) % groups * 4 + i % 4 < c.k ? fill(1) : 0;
  std::vector<const void*> left;
  for (long i = 0; i < row_count; i++) left.push_back(rows.data() + i * 7 % row_count * c.k);
  expect_sums(c, left, panel, 0);
  if (!tiles_prefetch(c.format)) return;
  // The page behind the rows cannot be read.
  expect_sums(c, left, panel, rows.data() + row_count * c.k - panel);
}

TEST(ByteTiles, AreExactForEveryRowCountAndK) {
  std::mt19937 random(3);
  for (const cppgen::VecISA* isa : runnable_isas())
    for (TileFormat format : formats_of(*isa)) {
      const int most = tile_shape(isa->name, format).mr;
      ASSERT_GT(most, 0) << isa->name;
      for (int rows = 1; rows <= most; rows++)
        for (long taps : {1L, 3L})
          for (long K : {0L, 1L, 2L, 3L, 4L, 5L, 7L, 8L, 15L, 16L, 17L, 33L})
            check_tile({*isa, format, rows, taps, K}, [&](int) { return uint8_t(random()); });
      check_tile({*isa, format, most, 49, 3}, [&](int) { return uint8_t(random()); });
      check_tile({*isa, format, most, 1, 1001}, [&](int) { return uint8_t(random()); });
    }
}

// 255 x -128 and -128 x -128: two such products overflow 16 bits.
TEST(ByteTiles, ExtremesDoNotSaturate) {
  for (const cppgen::VecISA* isa : runnable_isas())
    for (TileFormat format : formats_of(*isa))
      for (int left : {0x00, 0x7f, 0x80, 0xff})
        for (int right : {0x7f, 0x80})
          check_tile({*isa, format, tile_shape(isa->name, format).mr, 2, 257},
                     [&](int side) { return uint8_t(side == 0 ? left : right); });
}

}  // namespace
