#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

namespace cppgen {

// What a process that ends at once must not leave behind: temporary directories, temporary and lock files, and child
// processes. Each is entered by its owner, who removes it himself in the ordinary course of things; the list serves the
// one thread that ends the process when a signal came and the work cannot be asked to stop (interrupt.h).

// Stands for one thing on the list, until it is forgotten or destroyed.
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

// Held while a thing is made and entered, so that no end of the process comes between the two; also around two steps on
// disk of which the first must not be without the second. Short, and not nested.
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

// Kills and removes all that is entered. For a caller who then ends the process: the lock is never given back, so other
// threads make nothing more, and wait where they would.
void remove_litter_for_exit();

}  // namespace cppgen
