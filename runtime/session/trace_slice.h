#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cppgen::rt {

// One chunk of a step of the plan, as it ran.
struct TraceSlice {
  size_t step;
  int64_t chunk;
  int64_t begin_ns, end_ns;  // of the steady clock
  int thread;                // of the operating system
};

// Gets the chunks of one run of a plan: by worker, in the order of time. Steps are those of the session's plan. May be
// called from several threads at once.
using ChunkListener = std::function<void(std::span<const std::vector<TraceSlice>>)>;

}  // namespace cppgen::rt
