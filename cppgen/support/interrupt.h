#pragma once
#include <atomic>
#include <stdexcept>

namespace cppgen {

// Asks a long operation to stop. Set from any thread or signal handler; the operation polls it, ends its child
// processes, removes its temporary files and throws Cancelled.
class CancelToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

struct Cancelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the token and restores the previous reaction, so that a
// second one ends the process. For programs (the command line), never for the library. One at a time per process:
// InternalError otherwise.
class ScopedSignalCancel {
 public:
  explicit ScopedSignalCancel(CancelToken&);
  ~ScopedSignalCancel();
  ScopedSignalCancel(const ScopedSignalCancel&) = delete;
  ScopedSignalCancel& operator=(const ScopedSignalCancel&) = delete;
};

}  // namespace cppgen
