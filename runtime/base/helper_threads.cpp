#include "runtime/base/helper_threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/base/log.h"

namespace cppgen {

std::optional<std::thread> try_thread(std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    log_info("the system refuses another thread, so fewer are used: {}", error.what());
    return std::nullopt;
  }
}

void work_on_threads(int threads, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  helpers.reserve(size_t(std::max(threads, 1)));  // nothing is thrown while they run
  for (int t = 1; t < threads; t++) {
    std::optional<std::thread> helper = try_thread(guarded);
    if (!helper) break;
    helpers.push_back(std::move(*helper));
  }
  guarded();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void each_on_threads(int threads, size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  work_on_threads(int(std::min(size_t(std::max(threads, 1)), count)), [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  });
}

}  // namespace cppgen
