#include "runtime/base/content_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace cppgen {
namespace {

std::string content_of(size_t bytes) {
  std::string content(bytes, '\0');
  for (size_t i = 0; i < bytes; i++) content[i] = char(i % 251);
  return content;
}

// Hashes are in packages, so they are the same in every version and on every machine.
TEST(ContentHash, KnownValues) {
  const std::pair<size_t, const char*> known[] = {
      {0, "15d01fa1411b2c6c0a004cae4d2941f2"},       {1, "139ed55dafd2751f8404170b70e00e48"},
      {1024, "c7e446e199288da709d9e37156d338d5"},    {102400, "db351ae010887d2a35acab90b7513679"},
      {262144, "2e6f0d3569e63b674b7d1d5138ad8fa3"},  {262145, "25a43d418b3250b720deaaff49bb5f3c"},
      {1300000, "75d9495a70e56ba4869c4ecebbdfb86f"},
  };
  for (const auto& [bytes, hash] : known)
    for (const int threads : {1, 3}) EXPECT_EQ(content_hash(content_of(bytes), threads), hash) << bytes << " bytes";
}

TEST(ContentHash, BlocksInAnyOrder) {
  for (const size_t bytes : {size_t{1}, kHashBlock - 1, kHashBlock, kHashBlock + 1, 5 * kHashBlock + 77}) {
    const std::string content = content_of(bytes);
    const size_t blocks = (bytes + kHashBlock - 1) / kHashBlock;
    BlockHasher hasher(bytes);
    for (size_t i = blocks; i-- > 0;)
      hasher.add(i, std::span(content).subspan(i * kHashBlock).first(std::min(kHashBlock, bytes - i * kHashBlock)));
    hasher.add(blocks, content);  // there is none
    EXPECT_EQ(hasher.hash(), content_hash(content)) << bytes;
  }
}

TEST(ContentHash, EachByteCounts) {
  std::string content = content_of(3 * kHashBlock + 1000);
  const std::string hash = content_hash(content);
  for (size_t at = 0; at < content.size(); at += 99991) {
    content[at] ^= 1;
    EXPECT_NE(content_hash(content), hash) << at;
    content[at] ^= 1;
  }
  EXPECT_EQ(content_hash(content), hash);
  EXPECT_NE(content_hash(std::span(content).first(content.size() - 1)), hash);
}

// Weights of a gigabyte must not hold up a start for long. In processor time, which does not depend on other programs.
TEST(ContentHash, Speed) {
  const std::string big(64 << 20, 'x');
  const auto begin = std::clock();
  content_hash(big);
  const double rate = double(big.size()) / (double(std::clock() - begin) / CLOCKS_PER_SEC) / 1e9;
  std::printf("XXH3: %.2f GB/s\n", rate);
  EXPECT_GT(rate, 0.1);
}

}  // namespace
}  // namespace cppgen
