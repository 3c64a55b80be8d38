#pragma once
#include <optional>

#include "cppgen/forms/columns/plan.h"
#include "cppgen/forms/loops/writer.h"

namespace cppgen::forms {

// A constant of windows: whether none of them crosses the border.
inline const Code kInside = Code::name("inside");

// Lanes are points of the last outer loop.
class ColumnsWriter : public LoopsWriter {
 public:
  ColumnsWriter(const KernelView& view, const ColumnsPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 protected:
  const ColumnsPlan& plan_;
  std::optional<ir::Loop> across_;  // of windows: the loop with points that are computed side by side

  struct UnitPart {
    Code start, stop;
  };
  UnitPart write_units(size_t inner_loops);
  Statements point(Statements& hoisted);

 private:
  void write_body() override;
  bool several() const { return plan_.vectors > 1; }
  void write_calls(const Code& stop);
  void write_segment(const schedule::Segment&, size_t index, Statements& hoisted);
  void write_results(const schedule::Segment&, size_t index, Statements& hoisted);
  Code update(const schedule::Segment&, size_t index, size_t reduction, ValueEmitter&) const;
  bool vectors_are_aligned() const;
  Code accumulator(size_t segment, size_t reduction) const;
  Code total(size_t segment, size_t reduction) const;
  Code result(size_t segment, size_t reduction) const;
  void declare_accumulators(const schedule::Segment&, size_t index);
  std::optional<Parts> column_parts(const schedule::Segment&, size_t index) const;
  void open_vectors();
  void close_vectors();
};

}  // namespace cppgen::forms
