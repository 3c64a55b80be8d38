// Tiles over weights of few bits and rows of bytes, against plain loops: all scales are powers of two, so that whatever
// is summed is exact, and every instruction set gives the same bits.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/contraction/pack_n_bits.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/tiles.h"
#include "tests/isas_to_test.h"

namespace {

using namespace cppgen::rt;

enum class ZeroKind { none, bytes, floats };

struct Case {
  long bits, block, k;
  ZeroKind zeros;

  long blocks() const { return (k + block - 1) / block; }
};

struct alignas(64) Line {
  char bytes[64];
};

// A panel and the numbers that its weights stand for.
struct Weights {
  Weights(const Case& c, int nr) : c(c), nr(nr) {
    values.resize(size_t(nr * c.blocks() * c.block * c.bits / 8));
    for (size_t i = 0; i < values.size(); i++) values[i] = uint8_t(i % 7 == 0 ? 255 : i * 2654435761u >> 11);
    packed_zeros.resize(size_t(nr * ((c.blocks() * c.bits + 7) / 8)));
    for (size_t i = 0; i < packed_zeros.size(); i++) packed_zeros[i] = uint8_t(i * 40503u >> 3);
    for (long i = 0; i < nr * c.blocks(); i++)
      scales.push_back(i % 3 == 0 ? 2.0F : 0.5F), zeros.push_back(float(i % 5) + 0.25F);
    const bool floats = c.zeros == ZeroKind::floats;
    const void* const given = c.zeros == ZeroKind::none ? nullptr
                              : floats                  ? static_cast<void*>(zeros.data())
                                                        : packed_zeros.data();
    const NBitSource source{values.data(),
                            scales.data(),
                            cppgen::DType::f32,
                            given,
                            floats ? cppgen::DType::f32 : cppgen::DType::u8,
                            nr,
                            c.k,
                            c.bits,
                            c.block};
    panel.resize(size_t(n_bits::panel_bytes(n_bit_header(source), c.k, nr) / 64 + 1));
    pack_n_bits(source, nr, panel.data(), n_bits::Order::halves);
  }

  static long field(const std::vector<uint8_t>& bytes, long first, long i, long bits) {
    return bytes[size_t(first + i * bits / 8)] >> (i * bits % 8) & ((1 << bits) - 1);
  }
  double number(long column, long k) const {
    const long block = k / c.block, at = column * c.blocks() + block, row = (c.blocks() * c.bits + 7) / 8;
    const double zero = c.zeros == ZeroKind::none    ? double(1 << (c.bits - 1))
                        : c.zeros == ZeroKind::bytes ? double(field(packed_zeros, column * row, block, c.bits))
                                                     : double(zeros[size_t(at)]);
    const long first = column * c.blocks() * c.block * c.bits / 8;
    return (double(field(values, first, k, c.bits)) - zero) * double(scales[size_t(at)]);
  }

  Case c;
  int nr;
  std::vector<uint8_t> values, packed_zeros;
  std::vector<float> scales, zeros;
  std::vector<Line> panel;
};

// Rows of bytes, and the scale and the sum of each block. The bytes beyond K do not matter.
struct Rows {
  Rows(const Case& c, int count) : c(c) {
    for (int r = 0; r < count; r++) {
      std::vector<int8_t> row;
      for (long k = 0; k < c.blocks() * c.block; k++) row.push_back(int8_t((r * 31 + k * 77) % 255 - 127));
      std::vector<float> head;
      for (long b = 0; b < c.blocks(); b++) {
        int sum = 0;
        for (long k = b * c.block; k < std::min(c.k, (b + 1) * c.block); k++) sum += row[size_t(k)];
        head.insert(head.end(), {b % 2 == 0 ? 0.25F : 1.0F, float(sum)});
      }
      bytes.push_back(row), heads.push_back(head);
    }
    for (const auto& row : bytes) left.push_back(row.data());
    for (const auto& head : heads) left.push_back(head.data());
  }
  double number(int r, long k) const {
    return double(bytes[size_t(r)][size_t(k)]) * double(heads[size_t(r)][size_t(2 * (k / c.block))]);
  }

  Case c;
  std::vector<std::vector<int8_t>> bytes;
  std::vector<std::vector<float>> heads;
  std::vector<const void*> left;
};

void check(const char* isa, const Case& c) {
  const TileShape shape = tile_shape(isa, TileFormat::n_bits_of_i8);
  const Weights weights(c, shape.nr);
  for (int count = 1; count <= shape.mr; count++) {
    const Rows rows(c, count);
    std::vector<float> got(size_t(count * shape.nr), -1);
    runtime_table(isa)->tiles[size_t(TileFormat::n_bits_of_i8)][count](rows.left.data(), 1, c.k, weights.panel.data(),
                                                                       got.data(), shape.nr, 0);
    for (int r = 0; r < count; r++)
      for (int j = 0; j < shape.nr; j++) {
        double want = 0;
        for (long k = 0; k < c.k; k++) want += rows.number(r, k) * weights.number(j, k);
        ASSERT_EQ(double(got[size_t(r * shape.nr + j)]), want)
            << isa << ", " << c.bits << " bits by " << c.block << ", K " << c.k << ", zeros " << int(c.zeros)
            << ", row " << r << " of " << count << ", column " << j;
      }
  }
}

TEST(NBitByteTiles, SumsAreExact) {
  for (const cppgen::VecISA* isa : isas_to_test())
    for (long bits : {2, 4, 8})
      for (ZeroKind zeros : {ZeroKind::none, ZeroKind::bytes, ZeroKind::floats})
        for (long K : {1, 16, 45, 96})
          for (long block : {16, 32}) check(isa->name.data(), {bits, block, K, zeros});
}

// Sums of more than 512 blocks go to memory in between.
TEST(NBitByteTiles, ManyBlocks) {
  for (const cppgen::VecISA* isa : isas_to_test()) {
    check(isa->name.data(), {4, 16, 512 * 16, ZeroKind::none});
    check(isa->name.data(), {4, 16, 512 * 16 + 40, ZeroKind::bytes});
  }
}

}  // namespace
