#pragma once
#include <optional>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/forms/loops/plan.h"

namespace cppgen::forms {

// Common to the writers of plain loops.
class LoopsWriter : public KernelWriter {
 protected:
  LoopsWriter(const KernelView& view, const LoopsPlan& plan, const Options& options)
      : KernelWriter(view, options), loops_(plan) {}

  const LoopsPlan& loops_;

  // Declares the kernel's local buffers; with `as_arrays`, values are arrays with an element for each vector.
  void declare_locals(bool as_arrays);
  // A loop that is run in parts.
  struct Parts {
    SumParts plan;
    Code count;          // name of the number of terms since the last part
    Statements after;    // after a part, once there are many terms, and after the last part
    Statements reset{};  // after that: sets the accumulators to their start values
  };
  std::optional<Parts> parts_of(size_t segment) const;
  // Opens loops; in the first one, adds the emitter's statements of this level, in the next one those of the next
  // level.
  void open_loops(const std::vector<ir::Loop>&, const ValueEmitter&, size_t level,
                  const std::optional<Parts>& parts = std::nullopt);
  void close_loops(size_t count, const std::optional<Parts>& parts = std::nullopt);
  void open_parts(const Code& extent, const Parts&);
  void close_parts(const Parts&);
  void prefetch(size_t segment);
  // StatementList::call_by_vectors with ENABLE_LOOP_TAIL_VEC.
  template <class Call>
  void call_by_vectors(const Code& end, Call call, const Code& size = {}) {
    body_.call_by_vectors(end, call, options_.enable_loop_tail_vec, size);
  }

  bool has_total(size_t segment, size_t reduction) const { return loops_.segments[segment].has_total[reduction]; }
  static Code accumulator_name(size_t segment, size_t reduction);
  static Code total_name(size_t segment, size_t reduction);
  static Code add_to_total(const Code& total, const Code& accumulator);
};

}  // namespace cppgen::forms
