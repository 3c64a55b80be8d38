#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

inline constexpr int64_t kBufferAlignment = 64;  // bytes: one cache line, one AVX-512 vector

struct MemoryOptions {
  bool reuse = true;     // if false, each buffer has a place of its own (in-place sharing remains)
  bool outputs = false;  // places outputs, too; they live from the first step that writes them to the end of the run
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // per buffer, in bytes; -1 for buffers outside the arena
  int64_t arena_bytes = 0;
  size_t blocks = 0;  // buffers in the arena; those that share memory count once
};

// Places the temporaries of a validated plan in one arena, at multiples of kBufferAlignment. `sizes` has the bytes of
// each buffer. Two temporaries whose lifetimes [first_step, last_step] intersect do not overlap, unless they share
// memory. A group of sharing buffers is one block that lives as long as any of them; a group whose root is an output is
// placed in the output and gets -1, unless outputs are placed, too. Greedy by size, best fit among the gaps: "Efficient
// Memory Management for Deep Neural Net Inference" (Pisarchyk and Lee, 2020). Equal arguments give equal results.
// UserError if a size is negative, the arena overflows, or a buffer is larger than the one that it shares.
MemoryPlan plan_memory(std::span<const PlanBuffer> buffers, std::span<const int64_t> sizes, MemoryOptions = {});

// The buffer at the end of the chain of `shares`, which holds the memory of `index`.
size_t sharing_root(std::span<const PlanBuffer> buffers, size_t index);

}  // namespace cppgen::rt
