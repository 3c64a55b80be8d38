#pragma once
#include <optional>

#include "cppgen/codegen/kernel_writer.h"

namespace cppgen::codegen {

// A constant of windows: whether none of them crosses the border.
inline const Code kInside = Code::name("inside");

// Common to the writers of plain loops.
class LoopsWriter : public KernelWriter {
 protected:
  LoopsWriter(const kernel::KernelView& view, const kernel::LoopsPlan& plan, const Options& options)
      : KernelWriter(view, options), loops_(plan) {}

  const kernel::LoopsPlan& loops_;

  // Declares the kernel's local buffers; with `as_arrays`, values are arrays with an element for each vector.
  void declare_locals(bool as_arrays);
  // A loop that is run in parts.
  struct Parts {
    kernel::SumParts plan;
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

// Lanes are points of each segment's innermost loop.
class RowsWriter : public LoopsWriter {
 public:
  RowsWriter(const kernel::KernelView& view, const kernel::RowsPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 private:
  const kernel::RowsPlan& plan_;

  struct RowLoops {
    std::vector<ir::Loop> scalar;
    std::optional<ir::Loop> vector;
    std::vector<const ir::IndexNode*> variables;  // of all loops
    Code lanes() const { return vector ? "n" : "vec::Tail{1}"; }
  };
  void write_body() override;
  void write_segment(const schedule::Segment&, size_t index);
  RowLoops row_loops(const std::vector<ir::Loop>&);
  void open_body(const ir::Loop& vector_loop, size_t index, const char* more_arguments);
  void write_pointwise(const schedule::Segment&, size_t index);
  void write_reduction(const schedule::Segment&, size_t index);
  Statements updates(const schedule::Segment&, size_t index, ValueEmitter&, const Code& lanes) const;
  Statement start(const ir::Reduction&, const Code& accumulators) const;
  void declare_accumulators(const schedule::Segment&, size_t index);
  void write_vector_loop(const ir::Loop& vector_loop, size_t index, const std::optional<Parts>&,
                         const Statements& values, const Statements& updates);
  Statements combine(const schedule::Segment&, size_t index, size_t reduction) const;
  std::optional<Parts> row_parts(const schedule::Segment&, size_t index) const;
  void write_results(const schedule::Segment&, size_t index, const std::vector<const ir::IndexNode*>& around);
};

// Lanes are points of the last outer loop.
class ColumnsWriter : public LoopsWriter {
 public:
  ColumnsWriter(const kernel::KernelView& view, const kernel::ColumnsPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 protected:
  const kernel::ColumnsPlan& plan_;
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
  Code accumulator(size_t segment, size_t reduction) const;
  Code total(size_t segment, size_t reduction) const;
  Code result(size_t segment, size_t reduction) const;
  void declare_accumulators(const schedule::Segment&, size_t index);
  std::optional<Parts> column_parts(const schedule::Segment&, size_t index) const;
  void open_vectors();
  void close_vectors();
};

// Columns in which neighbouring points of the loop before the last one share operands.
class WindowsWriter : public ColumnsWriter {
 public:
  WindowsWriter(const kernel::KernelView& view, const kernel::WindowsPlan& plan, const Options& options)
      : ColumnsWriter(view, plan, options), windows_(plan) {}

 private:
  const kernel::WindowsPlan& windows_;

  void write_body() override;
  Code inside_text(const Code& first) const;
};

// Square tiles that are transposed in the cache.
class TransposedWriter : public LoopsWriter {
 public:
  TransposedWriter(const kernel::KernelView& view, const kernel::TransposedPlan& plan, const Options& options)
      : LoopsWriter(view, plan, options), plan_(plan) {}

 private:
  const kernel::TransposedPlan& plan_;

  void write_body() override;
  Code rest_;  // of the unit's number, after the calls of cut()
  Code cut(const char* piece, const char* rest, Code number, IndexExpr pieces);
  Statements declare_tiles(ValueEmitter&, const Code& row, const Code& column);
  void write_points(const ValueEmitter& inner, const Code& column);
  void prefetch_next_tile(const Code& column);
  void assert_tile_inside(StatementList& fill, const kernel::TransposedPlan::Load&, const Code& count);
};

}  // namespace cppgen::codegen
