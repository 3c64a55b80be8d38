#pragma once
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace cppgen {

// Asks a long operation to stop. Set from any thread or signal handler; the operation polls it, ends its child
// processes, removes its temporary files and throws Cancelled.
class CancelToken {
 public:
  void cancel(int signal = 0) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    cancelled_.store(true, std::memory_order_release);
  }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }  // that cancelled it; 0: none

 private:
  std::atomic<bool> cancelled_{false};
  std::atomic<int> signal_{0};
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

struct Cancelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// While it lives, signals end the process in order. For programs (the command line), never for the library. One at a
// time per process: InternalError otherwise.
//
// The first SIGINT, SIGTERM or SIGHUP sets the token. Work that polls it stops by itself and the program says so. Not
// all work can: a kernel is called with a range and returns when it has done it, a pass of the compiler is one call.
// So a thread of this object waits half a second, or for a second signal, and then ends the process itself: it kills
// child processes, removes temporary files (litter.h), says "PROGRAM: interrupted" and exits with 128 + the signal, as
// shells report it. Should even that hang, a third signal ends the process as it would have without this object.
//
// Files of weights are mapped. Should one become shorter meanwhile, reading it is a SIGBUS, which cannot be continued:
// the thread names the file and exits with status 2, likewise without litter.
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

// A deadline for what happens while it lives, wherever a ScopedSignalCancel lives too; without one it has no effect.
// Past it the process ends as above, with the message and status 2.
class ScopedTimeLimit {
 public:
  ScopedTimeLimit(double seconds, std::string message);
  ~ScopedTimeLimit();
  ScopedTimeLimit(const ScopedTimeLimit&) = delete;
  ScopedTimeLimit& operator=(const ScopedTimeLimit&) = delete;
};

}  // namespace cppgen
