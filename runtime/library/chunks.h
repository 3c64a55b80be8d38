// States how work is split into chunks. This header needs no library of C++: models that are linked into programs
// contain it.
#pragma once
#include <cstdint>

namespace cppgen::rt {

// A rough model of one core, the same on every machine because chunk edges must be: it only has to tell a kernel of a
// microsecond from one of a millisecond.
constexpr double kFlopsPerNs = 100, kBytesPerNs = 8, kElementsPerNs = 8;

// Claiming a chunk costs about 0.1 us and a worker's first chunk some cache misses, so chunks take at least 5 us. Up to
// kFewChunks of them keep usual machines busy and even; long kernels get more, for machines with many cores.
constexpr double kLeastChunkNs = 5e3, kLongChunkNs = 5e4;
constexpr int64_t kFewChunks = 64, kManyChunks = 1024;

inline int64_t bounded_count(double chunks, int64_t most) { return chunks < double(most) ? int64_t(chunks) : most; }

// Counts that divide evenly among 2, 4, 8 ... threads.
inline int64_t rounded_down(int64_t count) {
  if (count >= 8) return count / 8 * 8;
  return count >= 4 ? 4 : count >= 2 ? 2 : count;
}

// The number of chunks into which `units` equal pieces of work are split. `work` is the total number of elements of
// work, `flops` and `bytes` their arithmetic and memory traffic (0: unknown). 0 only for 0 units; 1 below twice
// `min_chunk_size` elements. The result depends only on the arguments, so that results of a run never depend on the
// number of threads.
inline int64_t chunk_count(int64_t units, int64_t work, int64_t flops, int64_t bytes, int64_t min_chunk_size) {
  if (units <= 1) return units < 0 ? 0 : units;
  if (work / 2 < min_chunk_size) return 1;
  double ns = double(flops) / kFlopsPerNs;
  if (double(bytes) / kBytesPerNs > ns) ns = double(bytes) / kBytesPerNs;
  if (double(work) / kElementsPerNs > ns) ns = double(work) / kElementsPerNs;
  const int64_t few = bounded_count(ns / kLeastChunkNs, kFewChunks);
  const int64_t many = bounded_count(ns / kLongChunkNs, kManyChunks);
  int64_t wanted = few > many ? few : many;
  if (work / min_chunk_size < wanted) wanted = work / min_chunk_size;
  if (wanted < 1) wanted = 1;
  return units <= wanted ? units : rounded_down(wanted);
}

// Chunk `chunk` of `chunks` over [0, units): sizes differ by at most one unit. The longer chunks are spread evenly, so
// that half of the chunks are half of the units, and a thread computes the same part of each tensor in each step.
struct ChunkRange {
  int64_t begin, end;
};
inline ChunkRange chunk_range(int64_t units, int64_t chunks, int64_t chunk) {
  const int64_t base = units / chunks, longer = units % chunks;
  return {chunk * base + chunk * longer / chunks, (chunk + 1) * base + (chunk + 1) * longer / chunks};
}

}  // namespace cppgen::rt
