#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/session/bound_plan.h"
#include "runtime/session/session.h"

namespace cppgen::rt {

// A plan bound to the sizes of runs, at first use. A server with ever new lengths keeps the most recent ones. May be
// used from several threads at once.
class BoundPlans {
 public:
  // `threads`: of a run, which have scratch memory. Executable and options outlive the object.
  BoundPlans(const Executable&, const SessionOptions&, int threads);

  // Returns the plan for these values of the symbols. UserError also if a run would need more than MAX_MEMORY, before
  // anything of it is allocated.
  std::shared_ptr<const BoundPlan> get(std::span<const int64_t> symbols, bool outputs_in_arena = false);

  // The most memory of those that there were.
  void add_to(SessionStats&) const;

 private:
  const Executable& executable_;
  const SessionOptions& options_;
  const int threads_;
  const std::vector<std::unique_ptr<LibraryOperator>> operators_;

  mutable std::mutex mutex_;                             // of the others and of binding operators
  std::vector<std::shared_ptr<const BoundPlan>> plans_;  // the most recent one is last
  int64_t arena_bytes_ = 0;
  size_t blocks_ = 0;

  void require_memory_for(const BoundPlan&, int64_t own) const;
};

}  // namespace cppgen::rt
