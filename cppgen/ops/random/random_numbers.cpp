#include "cppgen/ops/random/random_numbers.h"

#include <cmath>
#include <cstring>

namespace cppgen::ops {
namespace {

constexpr uint32_t kMultiplier = 0xd256d193, kKeyStep = 0x9e3779b9;
constexpr int kRounds = 10;

// Spreads every bit over all others (the finalizer of SplitMix64).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t hash_of(const std::string& text) {  // FNV-1a
  uint64_t h = 0xcbf29ce484222325;
  for (char c : text) h = (h ^ uint64_t(static_cast<unsigned char>(c))) * 0x100000001b3;
  return h;
}

Scalar unsigned_number(LowerContext& c, uint32_t v) { return scalar(c, c.exprs().constant_int(DType::u32, v)); }
Scalar shifted_right(Scalar x, int bits) { return x.binary(ir::BinaryOp::shr, x.number(bits)); }
Scalar shifted_left(Scalar x, int bits) { return x.binary(ir::BinaryOp::shl, x.number(bits)); }
Scalar operator^(Scalar a, Scalar b) { return a.binary(ir::BinaryOp::bit_xor, b); }
Scalar operator&(Scalar a, uint32_t b) { return a.binary(ir::BinaryOp::bit_and, a.number(b)); }

// Bits that a random float of this type keeps, and terms of series that leave errors below its rounding.
constexpr int kept_bits(DType t) { return t == DType::f32 ? 24 : 53; }
constexpr int series_terms(DType t) { return t == DType::f32 ? 6 : 11; }

// 1 + a(1) y (1 + a(2) y (1 + ...))
template <class Ratio>
Scalar series(Scalar y, int terms, Ratio ratio) {
  Scalar sum = y.number(1);
  for (int k = terms - 1; k > 0; --k) sum = 1.0 + sum * (y * ratio(k));
  return sum;
}

// -log(word / 2^32), at least 0; a word of 0 counts as 1.
Scalar minus_log(Scalar word, DType type) {
  Scalar mantissa = max(word, 1.0), halvings = mantissa.number(0).cast(DType::i32);
  for (int bits : {16, 8, 4, 2, 1}) {
    Scalar small = mantissa < double(uint64_t(1) << (32 - bits));
    mantissa = select(small, shifted_left(mantissa, bits), mantissa);
    halvings = halvings + select(small, halvings.number(bits), halvings.number(0));
  }
  int bits = type == DType::f32 ? 24 : 32;
  Scalar f = shifted_right(mantissa, 32 - bits).cast(type) * std::ldexp(1.0, -bits);  // exact, in [1/2, 1)
  Scalar low = f < M_SQRT1_2;
  f = select(low, f + f, f);
  Scalar exponent = halvings.cast(type) + select(low, f.number(1), f.number(0));
  Scalar z = (f - 1.0) / (f + 1.0);  // log(f) = 2 artanh(z)
  Scalar log = 2.0 * z * series(z * z, series_terms(type), [](int k) { return (2.0 * k - 1) / (2 * k + 1); });
  return max(exponent * M_LN2 - log, 0.0);
}

// The cosine of an angle that is uniform over the circle. A sign, and the cosine of one half of the circle in terms of
// r in (-pi/4, pi/4): cos(r - pi/4) = (cos r + sin r) / sqrt 2.
Scalar random_cosine(Scalar word, DType type) {
  int bits = type == DType::f32 ? 24 : 31;
  Scalar fraction = shifted_right(word & 0x7fffffff, 31 - bits).cast(DType::i64);
  Scalar odd = (2.0 * fraction + (1.0 - std::ldexp(1.0, bits))).cast(type);  // exact, symmetric, never 0
  Scalar r = odd * std::ldexp(M_PI_4, -bits), square = r * r;
  int terms = series_terms(type);
  Scalar cosine = series(square, terms, [](int k) { return -1.0 / (2 * k * (2 * k - 1)); });
  Scalar sine = r * series(square, terms, [](int k) { return -1.0 / (2 * k * (2 * k + 1)); });
  Scalar half = (cosine + sine) * M_SQRT1_2;
  return select(word >= 2147483648.0, -half, half);
}

}  // namespace

// Dropout has an integer, the others a float.
RandomStream RandomStream::of_node(LowerContext& c) {
  const Attribute* seed = c.attribute("seed");
  if (!seed) return {c, mixed(hash_of(c.node().name))};
  if (const auto* integer = std::get_if<int64_t>(seed)) return {c, mixed(mixed(uint64_t(*integer)))};
  float number = c.number("seed", 0);
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return {c, mixed(mixed(bits))};
}

// The counter is the position, its upper half mixed with one half of the stream; the other half is the key.
RandomStream::Words RandomStream::words(IndexExpr position) const {
  Scalar at = index_value(c_, position, DType::u64);
  Scalar low = at.cast(DType::u32),
         high = shifted_right(at, 32).cast(DType::u32) ^ unsigned_number(c_, uint32_t(stream_ >> 32));
  uint32_t key = uint32_t(stream_);
  for (int round = 0; round < kRounds; ++round, key += kKeyStep) {
    Scalar product = low.cast(DType::u64) * double(kMultiplier);
    low = shifted_right(product, 32).cast(DType::u32) ^ high ^ unsigned_number(c_, key);
    high = product.cast(DType::u32);
  }
  return {low, high};
}

Scalar RandomStream::uniform(IndexExpr position, DType type) const {
  Words w = words(position);
  if (type == DType::f32) return shifted_right(w.first, 8).cast(type) * 0x1p-24;
  Scalar all = shifted_left(w.first.cast(DType::u64), 21) + shifted_right(w.second, 11).cast(DType::u64);
  return all.cast(type) * std::ldexp(1.0, -kept_bits(type));
}

Scalar RandomStream::normal(IndexExpr position, DType type) const {
  Words w = words(position);
  return sqrt(2.0 * minus_log(w.first, type)) * random_cosine(w.second, type);
}

Scalar RandomStream::exponential(IndexExpr position) const { return minus_log(words(position).first, DType::f64); }

}  // namespace cppgen::ops
