#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cppgen {

// BLAKE3 (J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn: "BLAKE3: one function, fast everywhere", 2020), a
// cryptographic hash: nobody can find two contents with the same one. Its tree of blocks lets vectors and threads work
// on one content; hashes are those of the program b3sum, 64 lower-case hex digits, on every machine.

// Up to `threads` threads share the work; the calling one can do all of it.
std::string blake3_of(std::span<const char> content, int threads = 1);

inline constexpr size_t kHashBlock = size_t{256} << 10;  // bytes

// The hash of a content that arrives in blocks.
class BlockHasher {
 public:
  explicit BlockHasher(size_t bytes);

  // Block number `index`: kHashBlock bytes, or all that remain. Any order; different blocks may come from different
  // threads at once. Blocks that the content does not have are ignored.
  void add(size_t index, std::span<const char> block);

  std::string hash() const;  // when all blocks were added

 private:
  std::vector<std::array<uint32_t, 8>> blocks_;  // chaining values; of a content of one block, its hash
};

}  // namespace cppgen
