#include "runtime/base/blake3.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/base/helper_threads.h"

namespace cppgen {
namespace {

using ChainingValue = std::array<uint32_t, 8>;

constexpr size_t kChunk = 1024, kMessage = 64;  // bytes
constexpr uint32_t kChunkStart = 1, kChunkEnd = 2, kParent = 4, kRoot = 8;
constexpr ChainingValue kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The order of the message's words in each round: that of the round before, permuted.
constexpr auto kOrder = [] {
  constexpr size_t kPermutation[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  std::array<std::array<size_t, 16>, 7> rounds{};
  for (size_t i = 0; i < 16; i++) rounds[0][i] = i;
  for (size_t r = 1; r < 7; r++)
    for (size_t i = 0; i < 16; i++) rounds[r][i] = rounds[r - 1][kPermutation[i]];
  return rounds;
}();

// Below, V is a word, or a vector whose lanes hash independent inputs.
#define CPPGEN_INLINE [[gnu::always_inline]] inline

template <int bits, class V>
CPPGEN_INLINE void rotate_right(V& v) {
  v = (v >> bits) | (v << (32 - bits));
}

template <class V>
CPPGEN_INLINE void mix(V& a, V& b, V& c, V& d, const V& x, const V& y) {
  a += b + x, d ^= a, rotate_right<16>(d);
  c += d, b ^= c, rotate_right<12>(b);
  a += b + y, d ^= a, rotate_right<8>(d);
  c += d, b ^= c, rotate_right<7>(b);
}

// Adds a message of `bytes` bytes to the chaining value. The counter, in two halves, is the number of the chunk.
template <class V>
CPPGEN_INLINE void compress(V (&value)[8], const V (&m)[16], const V& low, const V& high, size_t bytes,
                            uint32_t flags) {
  V v[16]{};
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) v[i] = value[i];
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; i++) v[8 + i] = V{} + kInitial[i];
  v[12] = low, v[13] = high, v[14] = V{} + uint32_t(bytes), v[15] = V{} + flags;
#pragma GCC unroll 7
  for (const auto& order : kOrder) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) mix(v[i], v[4 + i], v[8 + i], v[12 + i], m[order[2 * i]], m[order[2 * i + 1]]);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
      mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[order[8 + 2 * i]], m[order[9 + 2 * i]]);
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < 8; i++) value[i] = v[i] ^ v[8 + i];
}

template <size_t lanes>
using Words [[gnu::vector_size(4 * lanes)]] = uint32_t;

// The lanes of `a` and `b` in turn, from both lower halves to `low` and from both upper ones to `high`.
template <size_t lanes, size_t... i>
CPPGEN_INLINE void interleave(const Words<lanes>& a, const Words<lanes>& b, Words<lanes>& low, Words<lanes>& high,
                              std::index_sequence<i...>) {
  low = __builtin_shufflevector(a, b, (i / 2 + i % 2 * lanes)...);
  high = __builtin_shufflevector(a, b, (lanes / 2 + i / 2 + i % 2 * lanes)...);
}

template <size_t lanes>
CPPGEN_INLINE void transpose(Words<lanes> (&rows)[lanes]) {
#pragma GCC unroll 4
  for (size_t stage = 1; stage < lanes; stage *= 2) {
    Words<lanes> next[lanes];
#pragma GCC unroll 8
    for (size_t i = 0; i < lanes / 2; i++)
      interleave<lanes>(rows[i], rows[i + lanes / 2], next[2 * i], next[2 * i + 1], std::make_index_sequence<lanes>());
#pragma GCC unroll 16
    for (size_t i = 0; i < lanes; i++) rows[i] = next[i];
  }
}

// The message at `offset` of each input: m[w] holds word w of all of them.
template <size_t lanes>
CPPGEN_INLINE void load_messages(Words<lanes> (&m)[16], const char* const (&inputs)[lanes], size_t offset) {
#pragma GCC unroll 4
  for (size_t part = 0; part < 16 / lanes; part++) {
    Words<lanes> rows[lanes];
#pragma GCC unroll 16
    for (size_t i = 0; i < lanes; i++)
      std::memcpy(&rows[i], inputs[i] + offset + part * sizeof rows[i], sizeof rows[i]);
    transpose<lanes>(rows);
#pragma GCC unroll 16
    for (size_t i = 0; i < lanes; i++) m[part * lanes + i] = rows[i];
  }
}

// The chaining values of at most `lanes` inputs of `bytes` bytes each, one after the other: whole chunks, numbered from
// `first` on, or pairs of chaining values. Lanes without an input repeat the last one.
template <size_t lanes>
CPPGEN_INLINE void hash_group(const char* inputs, size_t bytes, size_t count, uint64_t first, ChainingValue* values) {
  const bool chunks = bytes == kChunk;
  const char* begins[lanes];
  Words<lanes> low{}, high{}, value[8];
  for (size_t i = 0; i < lanes; i++) {
    begins[i] = inputs + std::min(i, count - 1) * bytes;
    if (chunks) low[i] = uint32_t(first + i), high[i] = uint32_t((first + i) >> 32);
  }
  for (size_t i = 0; i < 8; i++) value[i] = Words<lanes>{} + kInitial[i];
  for (size_t at = 0; at < bytes; at += kMessage) {
    Words<lanes> m[16];
    load_messages<lanes>(m, begins, at);
    uint32_t flags = chunks ? 0 : kParent;
    if (chunks && at == 0) flags |= kChunkStart;
    if (chunks && at + kMessage == bytes) flags |= kChunkEnd;
    compress(value, m, low, high, kMessage, flags);
  }
  for (size_t lane = 0; lane < std::min(count, lanes); lane++)
    for (size_t i = 0; i < 8; i++) values[lane][i] = value[i][lane];
}

using HashInputs = void (*)(const char* inputs, size_t bytes, size_t count, uint64_t first, ChainingValue* values);

// The same for any number of inputs.
template <size_t lanes>
CPPGEN_INLINE void hash_groups(const char* inputs, size_t bytes, size_t count, uint64_t first, ChainingValue* values) {
  for (size_t i = 0; i < count; i += lanes)
    hash_group<lanes>(inputs + i * bytes, bytes, count - i, first + i, values + i);
}

void hash_inputs_4(const char* inputs, size_t bytes, size_t count, uint64_t first, ChainingValue* values) {
  hash_groups<4>(inputs, bytes, count, first, values);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void hash_inputs_8(const char* inputs, size_t bytes, size_t count, uint64_t first,
                                           ChainingValue* values) {
  hash_groups<8>(inputs, bytes, count, first, values);
}

[[gnu::target("avx512f")]] void hash_inputs_16(const char* inputs, size_t bytes, size_t count, uint64_t first,
                                               ChainingValue* values) {
  hash_groups<16>(inputs, bytes, count, first, values);
}

HashInputs best_hash_inputs() {
  if (__builtin_cpu_supports("avx512f")) return hash_inputs_16;
  return __builtin_cpu_supports("avx2") ? hash_inputs_8 : hash_inputs_4;
}
#else
HashInputs best_hash_inputs() { return hash_inputs_4; }
#endif

void hash_inputs(const char* inputs, size_t bytes, size_t count, uint64_t first, ChainingValue* values) {
  static const HashInputs best = best_hash_inputs();
  best(inputs, bytes, count, first, values);
}

// A chunk of at most kChunk bytes.
ChainingValue hash_chunk(std::span<const char> chunk, uint64_t number, uint32_t flags) {
  uint32_t value[8];
  std::copy(kInitial.begin(), kInitial.end(), value);
  flags |= kChunkStart;
  for (bool more = true; more;) {
    const auto message = chunk.first(std::min(kMessage, chunk.size()));
    chunk = chunk.subspan(message.size());
    more = !chunk.empty();
    uint32_t m[16] = {};
    if (!message.empty()) std::memcpy(m, message.data(), message.size());
    const uint32_t root_or_none = more ? flags & ~kRoot : flags | kChunkEnd;
    compress(value, m, uint32_t(number), uint32_t(number >> 32), message.size(), root_or_none);
    flags &= ~kChunkStart;
  }
  return std::to_array(value);
}

ChainingValue root_of_pair(const ChainingValue* pair) {
  uint32_t value[8], m[16];
  std::copy(kInitial.begin(), kInitial.end(), value);
  std::memcpy(m, pair, sizeof m);
  compress(value, m, 0u, 0u, kMessage, kParent | kRoot);
  return std::to_array(value);
}

std::vector<ChainingValue> hash_chunks(std::span<const char> content, uint64_t first) {
  const size_t whole = content.size() / kChunk;
  std::vector<ChainingValue> values(whole);
  hash_inputs(content.data(), kChunk, whole, first, values.data());
  if (content.size() % kChunk > 0) values.push_back(hash_chunk(content.subspan(whole * kChunk), first + whole, 0));
  return values;
}

// Replaces neighbours by their parents until at most `count` are left. One without a neighbour stays as it is.
std::vector<ChainingValue> combined(std::vector<ChainingValue> values, size_t count) {
  while (values.size() > count) {
    const size_t pairs = values.size() / 2;
    std::vector<ChainingValue> parents(pairs);
    hash_inputs(reinterpret_cast<const char*>(values.data()), kMessage, pairs, 0, parents.data());
    if (values.size() % 2 > 0) parents.push_back(values.back());
    values.swap(parents);
  }
  return values;
}

ChainingValue hash_of_whole(std::span<const char> content) {
  if (content.size() <= kChunk) return hash_chunk(content, 0, kRoot);
  return root_of_pair(combined(hash_chunks(content, 0), 2).data());
}

std::string text_of(const ChainingValue& hash) {
  std::string text;
  for (const uint32_t word : hash)
    for (int shift = 0; shift < 32; shift += 8) text += fmt::format("{:02x}", word >> shift & 255);
  return text;
}

}  // namespace

BlockHasher::BlockHasher(size_t bytes) : blocks_(std::max<size_t>((bytes + kHashBlock - 1) / kHashBlock, 1)) {
  if (bytes == 0) add(0, {});
}

void BlockHasher::add(size_t index, std::span<const char> block) {
  if (index >= blocks_.size()) return;
  blocks_[index] =
      blocks_.size() == 1 ? hash_of_whole(block) : combined(hash_chunks(block, index * (kHashBlock / kChunk)), 1)[0];
}

std::string BlockHasher::hash() const {
  return text_of(blocks_.size() == 1 ? blocks_[0] : root_of_pair(combined(blocks_, 2).data()));
}

std::string blake3_of(std::span<const char> content, int threads) {
  BlockHasher hasher(content.size());
  const size_t blocks = (content.size() + kHashBlock - 1) / kHashBlock;
  each_on_threads(threads, blocks, [&](size_t i) {
    hasher.add(i, content.subspan(i * kHashBlock, std::min(kHashBlock, content.size() - i * kHashBlock)));
  });
  return hasher.hash();
}

}  // namespace cppgen
