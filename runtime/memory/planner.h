#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

inline constexpr int64_t kBufferAlignment = 64;  // bytes: one cache line, one AVX-512 vector

struct MemoryOptions {
  bool reuse = true;  // MEMORY_PLANNING: false gives each temporary a place of its own (in-place sharing stays)
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // per buffer, in bytes; -1 for buffers that lie outside the arena
  int64_t arena_bytes = 0;
};

// Places the temporaries of a validated plan in one arena, at multiples of kBufferAlignment. `sizes` has the bytes of
// each buffer. Two temporaries whose lifetimes [first_step, last_step] meet do not overlap, except those that share.
// A group of sharing buffers is one block that lives as long as all of them; a group whose root is an output lies in
// the output and gets -1. Greedy by size, best fit among the gaps: "Efficient Memory Management for Deep Neural Net
// Inference" (Pisarchyk and Lee, 2020). Equal arguments, equal result.
// UserError if a size is negative, the arena overflows, or a buffer is larger than the one that it shares.
MemoryPlan plan_memory(std::span<const PlanBuffer> buffers, std::span<const int64_t> sizes, MemoryOptions = {});

// The buffer at the end of the chain of `shares`: where `index` really lies.
size_t sharing_root(std::span<const PlanBuffer> buffers, size_t index);

}  // namespace cppgen::rt
