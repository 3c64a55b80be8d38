#include "runtime/base/content_hash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/helper_threads.h"

namespace cppgen {

BlockHasher::Digest BlockHasher::digest_of(std::span<const char> content) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(content.data(), content.size()));
  Digest digest;
  static_assert(sizeof canonical == sizeof digest);
  std::memcpy(digest.data(), &canonical, sizeof digest);
  return digest;
}

BlockHasher::BlockHasher(size_t bytes) : bytes_(bytes), blocks_((bytes + kHashBlock - 1) / kHashBlock) {}

void BlockHasher::add(size_t index, std::span<const char> block) {
  if (index < blocks_.size()) blocks_[index] = digest_of(block);
}

std::string BlockHasher::hash() const {
  std::string all = fmt::format("{}\n", bytes_);
  for (const Digest& digest : blocks_) all.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return fmt::format("{:02x}", fmt::join(digest_of(all), ""));
}

std::string content_hash(std::span<const char> content, int threads) {
  BlockHasher hasher(content.size());
  const size_t blocks = (content.size() + kHashBlock - 1) / kHashBlock;
  each_on_threads(threads, blocks, [&](size_t i) {
    hasher.add(i, content.subspan(i * kHashBlock, std::min(kHashBlock, content.size() - i * kHashBlock)));
  });
  return hasher.hash();
}

}  // namespace cppgen
