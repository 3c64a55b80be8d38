// Tiles over weights of few bits: unpacked weights give the bits of those that are read as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/contraction/pack_n_bits.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/tiles.h"
#include "tests/isas_to_test.h"

namespace {

using namespace cppgen::rt;

constexpr long kK = 1330;  // two blocks and a part of one

struct Weights {
  Weights(long bits, long block, int nr) : bits(bits), block(block), nr(nr) {
    const long blocks = (kK + block - 1) / block;
    values.resize(size_t(nr * blocks * block * bits / 8));
    for (size_t i = 0; i < values.size(); i++) values[i] = uint8_t(i * 2654435761u >> 11);
    for (long i = 0; i < nr * blocks; i++)
      scales.push_back(float(1 + i % 13) / 64), zeros.push_back(float(i % 5) * 0.375f);
  }

  // One panel, aligned to 64 bytes.
  const void* pack(bool with_zeros) {
    const NBitSource source{values.data(),
                            scales.data(),
                            cppgen::DType::f32,
                            with_zeros ? zeros.data() : nullptr,
                            cppgen::DType::f32,
                            nr,
                            kK,
                            bits,
                            block};
    panel.resize(size_t(n_bits::panel_bytes(n_bit_header(source), kK, nr) / 64 + 1));
    pack_n_bits(source, nr, panel.data());
    return panel.data();
  }

  struct alignas(64) Line {
    char bytes[64];
  };
  long bits, block;
  int nr;
  std::vector<uint8_t> values;
  std::vector<float> scales, zeros;
  std::vector<Line> panel;
};

std::vector<float> unpacked(const TileFunction* tiles, int mr, int nr, std::vector<const void*> rows,
                            const void* panel) {
  std::vector<Weights::Line> weights(size_t(kBlockTerms * nr * 4 / 64));
  std::vector<float> block(rows.size() * size_t(nr));
  for (long first = 0; first < kK; first += kBlockTerms) {
    const long K = std::min(kK - first, kBlockTerms);
    tiles[0](nullptr, first, K, panel, weights.data(), nr, 0);
    tiles[size_t(first == 0 ? mr : 2 * mr) + rows.size()](rows.data(), 1, K, weights.data(), block.data(), nr, 0);
    for (const void*& row : rows) row = static_cast<const float*>(row) + kBlockTerms;
  }
  return block;
}

TEST(NBitTiles, UnpackedWeightsGiveTheSameBits) {
  std::vector<float> x(size_t(kK + 13 * 7));  // row r begins at 7 r
  for (size_t i = 0; i < x.size(); i++) x[i] = float(int(i * 37 % 101) - 50) / 32;
  const TileFormat format = TileFormat::n_bits;
  int compared = 0;
  for (const cppgen::VecISA* isa : isas_to_test()) {
    const TileShape shape = tile_shape(isa->name, format);
    if (shape.mr <= 8) continue;  // tiles of up to four rows at once, which sum blocks
    const TileFunction* tiles = runtime_table(isa->name)->tiles[size_t(format)];
    for (long bits : {4, 8})
      for (long block : {16, 512, 1024})
        for (bool with_zeros : {false, true}) {
          Weights weights(bits, block, shape.nr);
          const void* panel = weights.pack(with_zeros);
          for (int rows : {5, 8, 11, 14}) {
            std::vector<const void*> left;
            for (int r = 0; r < rows; r++) left.push_back(&x[size_t(r * 7)]);
            std::vector<float> whole(size_t(rows * shape.nr));
            tiles[rows](left.data(), 1, kK, panel, whole.data(), shape.nr, 0);
            compared++;
            EXPECT_EQ(unpacked(tiles, shape.mr, shape.nr, left, panel), whole) << isa->name << ", " << bits << " bits";
          }
        }
  }
  if (compared == 0) GTEST_SKIP() << "this CPU has no such tiles";
}

}  // namespace
