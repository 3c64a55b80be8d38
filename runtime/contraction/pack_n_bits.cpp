#include "runtime/contraction/pack_n_bits.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/elements.h"

namespace cppgen::rt {
namespace {

using n_bits::Zeros;

// Four fields of four bits, each in a byte.
uint32_t in_bytes(uint32_t x) {
  x = (x | x << 8) & 0x00ff00ffu;
  return (x | x << 4) & 0x0f0f0f0fu;
}

class Reader {
 public:
  explicit Reader(const NBitSource& source) : s_(source) {}

  long blocks() const { return (s_.k + s_.block - 1) / s_.block; }
  float scale(long column, long block) const {
    return float(number_element(s_.scale_type, s_.scales, column * blocks() + block));
  }
  float zero(long column, long block) const {
    if (!s_.zeros) return float(1 << (s_.bits - 1));
    if (s_.zero_type != DType::u8) return float(number_element(s_.zero_type, s_.zeros, column * blocks() + block));
    const long in_byte = 8 / s_.bits, row = (blocks() + in_byte - 1) / in_byte;
    const unsigned byte = static_cast<const uint8_t*>(s_.zeros)[column * row + block / in_byte];
    return float(byte >> (block % in_byte * s_.bits) & ((1u << s_.bits) - 1));
  }
  // Weights from `word` * (32 / bits of the panel) on; bits of steps beyond K are 0.
  uint32_t word(long column, long block, long word) const {
    const long in_panel = s_.bits == 2 ? 2 : 4;  // bytes
    const long steps = in_panel * 8 / s_.bits, rest = s_.k - block * s_.block - word * steps;
    if (rest <= 0) return 0;
    const uint8_t* from = s_.values + (column * blocks() + block) * (s_.block * s_.bits / 8) + word * in_panel;
    uint32_t bits = 0;
    std::memcpy(&bits, from, size_t(in_panel));
    if (rest < steps) bits &= (1u << (rest * s_.bits)) - 1;
    return s_.bits == 2 ? spread(bits) : bits;
  }

 private:
  const NBitSource& s_;

  // Eight fields of two bits in fields of four.
  static uint32_t spread(uint32_t x) {
    x = in_bytes(x);
    return (x | x << 2) & 0x33333333u;
  }
};

// A word of four bits in the order of halves.
uint32_t in_halves(uint32_t word) { return in_bytes(word & 0xffffu) | in_bytes(word >> 16) << 4; }

void pack_block(const Reader& read, const n_bits::PanelHeader& h, n_bits::Order order, long first, long count,
                long block, int nr, char* out) {
  auto* scales = reinterpret_cast<float*>(out);
  for (long j = 0; j < count; j++) scales[j] = read.scale(first + j, block);
  out += nr * 4;
  for (long j = 0; j < count && h.zeros != Zeros::same; j++) {
    const float zero = read.zero(first + j, block);
    if (h.zeros == Zeros::bytes)
      out[j] = static_cast<char>(static_cast<unsigned char>(zero));
    else
      std::memcpy(out + j * 4, &zero, 4);
  }
  out += nr * n_bits::zero_bytes(h.zeros);
  for (long j = 0; j < count; j++)
    for (long w = 0; w < h.block * h.bits / 32; w++) {
      const uint32_t steps = read.word(first + j, block, w);
      const uint32_t word = order == n_bits::Order::halves && h.bits == 4 ? in_halves(steps) : steps;
      std::memcpy(out + (w * nr + j) * 4, &word, 4);
    }
}

}  // namespace

n_bits::PanelHeader n_bit_header(const NBitSource& source) {
  const Reader read(source);
  n_bits::PanelHeader h{source.bits == 8 ? 8 : 4, Zeros::same, read.zero(0, 0), source.block};
  const auto is_byte = [](float z) { return z >= 0 && z <= 255 && float(int(z)) == z; };
  if (!is_byte(h.same_zero)) h.zeros = Zeros::floats;
  if (!source.zeros) return h;
  for (long j = 0; j < source.columns; j++)
    for (long b = 0; b < read.blocks(); b++) {
      const float zero = read.zero(j, b);
      if (!is_byte(zero)) h.zeros = Zeros::floats;
      if (zero != h.same_zero) h.zeros = std::max(h.zeros, Zeros::bytes);
    }
  return h;
}

void pack_n_bits(const NBitSource& source, int nr, void* out, n_bits::Order order) {
  const Reader read(source);
  const n_bits::PanelHeader h = n_bit_header(source);
  const long bytes = n_bits::panel_bytes(h, source.k, nr);
  char* panel = static_cast<char*>(out);
  for (long first = 0; first < source.columns; first += nr, panel += bytes) {
    std::memset(panel, 0, size_t(bytes));
    std::memcpy(panel, &h, sizeof h);
    for (long b = 0; b < read.blocks(); b++)
      pack_block(read, h, order, first, std::min<long>(nr, source.columns - first), b, nr,
                 panel + n_bits::kHeaderBytes + b * n_bits::block_bytes(h, nr));
  }
}

}  // namespace cppgen::rt
