#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cppgen {

// A hash that finds damage: XXH3's 128 bits of each block of a content, and of the list of these and the length.
// Threads can share the blocks. It is not made against people who look for two contents with the same hash: where these
// must not be confused, they are compared.

inline constexpr size_t kHashBlock = size_t{256} << 10;  // bytes
inline constexpr size_t kContentHashDigits = 32;         // lower-case, hexadecimal

// Up to `threads` threads share the work; the calling one can do all of it.
std::string content_hash(std::span<const char> content, int threads = 1);

// The hash of a content that arrives in blocks.
class BlockHasher {
 public:
  explicit BlockHasher(size_t bytes);

  // Block number `index`: kHashBlock bytes, or all that remain. Any order; different blocks may come from different
  // threads at once. Blocks that the content does not have are ignored.
  void add(size_t index, std::span<const char> block);

  std::string hash() const;  // when all blocks were added

 private:
  using Digest = std::array<unsigned char, 16>;  // in the same order of bytes on every machine
  static Digest digest_of(std::span<const char>);

  size_t bytes_;
  std::vector<Digest> blocks_;
};

}  // namespace cppgen
