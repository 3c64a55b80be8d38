#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>

namespace cppgen {

// A new thread; none if the system refuses one, as it does beyond `ulimit -u` or the limit of a container. Nothing may
// depend on more than the calling thread.
std::optional<std::thread> try_thread(std::function<void()> work);

// Calls `work` on the calling thread and on up to `threads` - 1 others, as many as there can be, and waits for all. It
// takes its items from what the threads share, so that any number of calls completes it. The first exception is thrown
// again when all have ended.
void work_on_threads(int threads, const std::function<void()>& work);

// Calls `work` with 0, 1 ... `count` - 1 in this way, each number once.
void each_on_threads(int threads, size_t count, const std::function<void(size_t)>& work);

}  // namespace cppgen
