#pragma once
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/options.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

// The limits of one kernel: MAX_FUSION_SIZE nodes of the model, MAX_FUSION_UNIQUE_IO_BUFFERS, and, regardless of these,
// no more than a C++ compiler can compile in seconds and some hundred megabytes, since its time grows faster than a
// function's length.

// The effort of a C++ compiler for the values, in simple operations.
int64_t weight_of(const std::vector<Expr>& roots, const Tuning&);

// The size of the statements that are to become one kernel.
class KernelSize {
 public:
  KernelSize() = default;
  KernelSize(const LoopNest& nest, const Tuning& tuning) { add(nest, tuning); }
  void add(const LoopNest&, const Tuning&);

  // Returns whether another nest fits into the same kernel.
  FusionDecision fits(const KernelSize& more, const Options&, const Tuning&) const;

 private:
  std::vector<std::string> nodes_;  // sorted, each once
  int64_t statements_ = 0, weight_ = 0;

  int64_t nodes_with(const KernelSize& more) const;
};

// Tells whether one kernel may run the statements at these positions without accessing too many buffers.
FusionDecision fits_buffers(const Program&, const Uses&, const std::vector<int>& statements, const Options&);

// Tells whether the producer may be computed in the nest that reads it. Views do not count, because they only read from
// another place.
FusionDecision fits_into_nest(const LoopNest& producer, const LoopNest& reader, const Options&, const Tuning&);
// Tells whether a nest is so long that it shares its kernel with no other.
bool is_long(const LoopNest&, const Tuning&);

}  // namespace cppgen::schedule
