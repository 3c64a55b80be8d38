#include "runtime/base/blake3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace cppgen {
namespace {

// The bytes 0, 1 ... 250, 0, 1 ... of the published test vectors.
std::string content_of(size_t bytes) {
  std::string content(bytes, '\0');
  for (size_t i = 0; i < bytes; i++) content[i] = char(i % 251);
  return content;
}

// From the test vectors of BLAKE3's authors; the last ones, of several blocks, from their program.
TEST(Blake3, KnownValues) {
  const std::pair<size_t, const char*> known[] = {
      {0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
      {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
      {1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"},
      {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
      {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
      {2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"},
      {3073, "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3"},
      {6145, "f1323a8631446cc50536a9f705ee5cb619424d46887f3c376c695b70e0f0507f"},
      {102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"},
      {262144, "d57dc906e20d3fd326ffaa85535500486f46a0979f5a323f028dcabfd381fd4a"},
      {262145, "531c319935cf78f34869faebd865e5748266b1799039103bfb851a680d9ed30c"},
      {524288, "b467afa334cd7dedd76e3a9a4b0e8a5ed278713f2f4e220a682aa30c7fcd140b"},
      {1300000, "305ae5eb016af847dfbc9095424ef806a1415ed465611d837213e5842160bcd9"},
  };
  for (const auto& [bytes, hash] : known)
    for (const int threads : {1, 3}) EXPECT_EQ(blake3_of(content_of(bytes), threads), hash) << bytes << " bytes";
}

TEST(Blake3, BlocksInAnyOrder) {
  for (const size_t bytes : {size_t{1}, kHashBlock - 1, kHashBlock, kHashBlock + 1, 5 * kHashBlock + 77}) {
    const std::string content = content_of(bytes);
    const size_t blocks = (bytes + kHashBlock - 1) / kHashBlock;
    BlockHasher hasher(bytes);
    for (size_t i = blocks; i-- > 0;)
      hasher.add(i, std::span(content).subspan(i * kHashBlock).first(std::min(kHashBlock, bytes - i * kHashBlock)));
    hasher.add(blocks, content);  // there is none
    EXPECT_EQ(hasher.hash(), blake3_of(content)) << bytes;
  }
}

TEST(Blake3, EachByteCounts) {
  std::string content = content_of(3 * kHashBlock + 1000);
  const std::string hash = blake3_of(content);
  for (size_t at = 0; at < content.size(); at += 99991) {
    content[at] ^= 1;
    EXPECT_NE(blake3_of(content), hash) << at;
    content[at] ^= 1;
  }
  EXPECT_EQ(blake3_of(content), hash);
  EXPECT_NE(blake3_of(std::span(content).first(content.size() - 1)), hash);
}

// Weights of a gigabyte must not hold up a start for long. In processor time, which does not depend on other programs.
TEST(Blake3, Speed) {
  const std::string big(64 << 20, 'x');
  const auto begin = std::clock();
  blake3_of(big);
  const double rate = double(big.size()) / (double(std::clock() - begin) / CLOCKS_PER_SEC) / 1e9;
  std::printf("BLAKE3: %.2f GB/s\n", rate);
  EXPECT_GT(rate, 0.1);
}

}  // namespace
}  // namespace cppgen
