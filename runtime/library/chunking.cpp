#include <algorithm>
#include <bit>

#include "runtime/library/library.h"

namespace cppgen::rt {
namespace {

// A rough model of one core, the same on every machine because chunk edges must be: it only has to tell a kernel of a
// microsecond from one of a millisecond.
constexpr double kFlopsPerNs = 100, kBytesPerNs = 8, kElementsPerNs = 8;

// Claiming a chunk costs about 0.1 us and a worker's first chunk some cache misses, so chunks take at least 5 us. Up to
// kFewChunks of them keep usual machines busy and even; long kernels get more, for machines with many cores.
constexpr double kLeastChunkNs = 5e3, kLongChunkNs = 5e4;
constexpr int64_t kFewChunks = 64, kManyChunks = 1024;

// Counts that divide evenly among 2, 4, 8 ... threads.
int64_t rounded_down(int64_t count) {
  if (count < 8) return int64_t(std::bit_floor(uint64_t(count)));
  return count / 8 * 8;
}

}  // namespace

int64_t chunk_count(int64_t units, int64_t work, int64_t flops, int64_t bytes, int64_t min_chunk_size) {
  if (units <= 1) return std::max<int64_t>(units, 0);
  if (work / 2 < min_chunk_size) return 1;
  const double ns = std::max({double(flops) / kFlopsPerNs, double(bytes) / kBytesPerNs, double(work) / kElementsPerNs});
  const auto few = std::min<int64_t>(kFewChunks, int64_t(std::min(ns / kLeastChunkNs, 1e9)));
  const auto many = std::min<int64_t>(kManyChunks, int64_t(std::min(ns / kLongChunkNs, 1e9)));
  const int64_t wanted = std::max<int64_t>(1, std::min(std::max(few, many), work / min_chunk_size));
  return units <= wanted ? units : rounded_down(wanted);
}

ChunkRange chunk_range(int64_t units, int64_t chunks, int64_t chunk) {
  const int64_t base = units / chunks, longer = units % chunks;
  const auto begin = [&](int64_t at) { return at * base + at * longer / chunks; };
  return {begin(chunk), begin(chunk + 1)};
}

}  // namespace cppgen::rt
