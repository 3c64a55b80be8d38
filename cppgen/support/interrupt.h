#pragma once
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace cppgen {

// Requests a long operation to stop. May be set from any thread or signal handler; the operation polls it, ends its
// child processes, removes its temporary files and throws Cancelled.
class CancelToken {
 public:
  // `other`, if it is not null, cancels too, and outlives this object.
  explicit CancelToken(const std::atomic<bool>* other = nullptr) : other_(other) {}

  void cancel(int signal = 0) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    cancelled_.store(true, std::memory_order_release);
  }
  bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_acquire) || (other_ && other_->load(std::memory_order_acquire));
  }
  int signal() const noexcept {
    return signal_.load(std::memory_order_relaxed);
  }  // the signal that cancelled it; 0: none

 private:
  const std::atomic<bool>* other_;
  std::atomic<bool> cancelled_{false};
  std::atomic<int> signal_{0};
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

struct Cancelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// During its lifetime, signals end the process in an orderly way. For programs (the command line), never for the
// library. At most one per process: InternalError otherwise.
//
// The first SIGINT, SIGTERM or SIGHUP sets the token. Work that polls it stops by itself, and the program reports this.
// Not all work can poll: a kernel returns only after it has processed its range, and a pass of the compiler is one
// call. So a thread of this object waits half a second, or for a second signal, and then ends the process itself: it
// kills child processes, removes temporary files (litter.h), says "PROGRAM: interrupted" and exits with 128 + the
// signal, as shells report it. If even that hangs, a third signal ends the process as it would without this object.
//
// Weight files are mapped. If one becomes shorter, reading it raises SIGBUS, from which execution cannot continue: the
// thread names the file and exits with status 2, after the same cleanup.
//
// If the system refuses that thread, the first signal sets the token, and the second one ends the process.
class ScopedSignalCancel {
 public:
  ScopedSignalCancel(CancelToken&, std::string program);
  ~ScopedSignalCancel();
  ScopedSignalCancel(const ScopedSignalCancel&) = delete;
  ScopedSignalCancel& operator=(const ScopedSignalCancel&) = delete;

  struct Watch;

 private:
  std::unique_ptr<Watch> watch_;
};

// A deadline for everything that happens during its lifetime; it has an effect only if there is also a
// ScopedSignalCancel. After the deadline the process ends as above, with the message and status 2.
class ScopedTimeLimit {
 public:
  ScopedTimeLimit(double seconds, std::string message);
  ~ScopedTimeLimit();
  ScopedTimeLimit(const ScopedTimeLimit&) = delete;
  ScopedTimeLimit& operator=(const ScopedTimeLimit&) = delete;
};

}  // namespace cppgen
