#pragma once
#include <atomic>
#include <functional>

#include "runtime/session/session.h"

namespace cppgen::rt {

// The flag that cancels the run in progress on this thread; null: none. What a run calls on its thread, such as the
// plans and steps of a module, finds it here.
const std::atomic<bool>* cancel_of_run();

// Makes the flag of a run that of this thread. Throws RunCancelled if it is set already.
class CancelScope {
 public:
  explicit CancelScope(const RunOptions& options);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* const outer_;
};

// Calls `before_step`, if there is one, unless the run in progress is cancelled; then it throws RunCancelled.
std::function<void()> cancelling(std::function<void()> before_step);

}  // namespace cppgen::rt
