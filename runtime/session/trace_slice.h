#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cppgen::rt {

// One chunk of a step of the plan, as it ran, or a step on the host, inside which there may be others.
struct TraceSlice {
  size_t step;
  int64_t chunk;
  int64_t begin_ns, end_ns;  // of the steady clock
  int thread;                // of the operating system
  int64_t inside_ns = 0;     // between them, in plans and other steps
};

int this_thread();  // TraceSlice::thread

// Gets the chunks of one run of a plan: by worker, in the order of time. Steps are those of the session's plan. May be
// called from several threads at once.
using ChunkListener = std::function<void(std::span<const std::vector<TraceSlice>>)>;

}  // namespace cppgen::rt
