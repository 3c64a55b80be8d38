#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

namespace cppgen {

// The resources that a process must not leave behind if it ends suddenly: temporary directories, temporary and lock
// files, and child processes. Each is registered by its owner, which normally removes it itself; the list is used by
// the thread that ends the process after a signal if the work cannot be stopped (interrupt.h).

// One registered resource, until it is released or destroyed.
class LitterEntry {
 public:
  LitterEntry() = default;
  ~LitterEntry() { forget(); }
  LitterEntry(LitterEntry&& other) noexcept;
  LitterEntry& operator=(LitterEntry&& other) noexcept;
  void forget();

 private:
  friend class LitterLock;
  explicit LitterEntry(int64_t id) : id_(id) {}
  int64_t id_ = 0;  // 0: nothing
};

// Held while a resource is created and registered, so that the process cannot end between the two; also around two
// steps on disk of which the first must not happen without the second. Must be short and not nested.
class LitterLock {
 public:
  LitterLock();
  ~LitterLock();
  LitterLock(const LitterLock&) = delete;
  LitterLock& operator=(const LitterLock&) = delete;

  LitterEntry directory(std::string path);
  LitterEntry file(std::string path);
  LitterEntry process_group(pid_t leader);  // a child of this process, not yet reaped
};

// Kills and removes everything that is registered. For a caller that then ends the process: the lock is never released,
// so other threads cannot create anything and wait instead.
void remove_litter_for_exit();

}  // namespace cppgen
