#pragma once
#include <optional>

#include "cppgen/codegen/kernel_writer.h"

namespace cppgen::codegen {

inline int64_t constant_or(IndexExpr e, int64_t otherwise) { return e.is_constant() ? e.constant() : otherwise; }

// Kernels of plain loops, in one of four forms: rows (lanes are points of each segment's innermost loop), columns
// (lanes are points of the last outer loop), windows (columns that several points of the loop before share their
// operands with) and transposed tiles.
class LoopsWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 private:
  static constexpr int kRowAccumulators = 4;  // of each reduction along rows

  int64_t block_ = 1;  // elements of the vector loop in one unit (columns)
  int unroll_ = 1;     // vectors side by side, each with accumulators of its own
  int chains_ = 1;     // vectors of a pointwise kernel whose long chains of operations overlap
  bool has_inner_ = false;
  std::optional<ir::Loop> across_;  // of a window: the loop whose points stand side by side instead of vectors

  // loops_writer.cpp: what the forms share
  void write_body() override;
  void declare_locals();
  // Where one of the loops is run in parts.
  struct Parts {
    size_t loop = 0;                 // its position
    int64_t steps = 1;               // of one part
    int64_t terms = 1;               // of one step
    std::string count;               // name of the number of terms since then
    std::vector<std::string> after;  // lines that follow a part if there were many terms since they last did
  };
  // Opens loops, the first followed by the lines of `level`, the next by those of the next level.
  void open_loops(const std::vector<ir::Loop>&, const ValueEmitter&, size_t level,
                  const std::optional<Parts>& parts = std::nullopt);
  void close_loops(size_t count, const std::optional<Parts>& parts = std::nullopt);
  static std::string accumulator_name(size_t segment, size_t reduction);

  // long_sums.cpp: float sums whose number of terms only a run knows are taken in parts, whose sums are added up
  static std::optional<Parts> parts_of(const schedule::Segment&);
  static bool has_total(const schedule::Segment&, size_t reduction);
  static std::string total_name(size_t segment, size_t reduction);
  void open_parts(const std::string& extent, const Parts&);
  void close_parts(const Parts&);

  // loops_rows.cpp
  struct RowLoops {
    std::vector<ir::Loop> scalar;
    std::optional<ir::Loop> vector;
    std::vector<const ir::IndexNode*> variables;  // of all of them
    std::string lanes() const { return vector ? "n" : "vec::Tail{1}"; }
  };
  void write_rows();
  void row_segment(const schedule::Segment&, size_t index);
  RowLoops row_loops(const std::vector<ir::Loop>&);
  void open_row_body(const ir::Loop& vector_loop, size_t index, const char* more_arguments);
  void row_pointwise(const schedule::Segment&, size_t index);
  void row_reduction(const schedule::Segment&, size_t index);
  std::vector<std::string> row_updates(const schedule::Segment&, size_t index, ValueEmitter&,
                                       const std::string& lanes) const;
  void declare_row_accumulators(const schedule::Segment&, size_t index);
  void row_reduction_loop(const ir::Loop& vector_loop, size_t index, const std::optional<Parts>&,
                          const std::vector<std::string>& values, const std::vector<std::string>& updates);
  static std::vector<std::string> combine_rows(const schedule::Segment&, size_t index, size_t reduction);
  static std::optional<Parts> row_parts(const schedule::Segment&, size_t index);
  void row_results(const schedule::Segment&, size_t index, const std::vector<const ir::IndexNode*>& around);
  std::vector<std::string> prefetch_next_row(size_t index, const ir::Loop& vector_loop) const;

  // loops_columns.cpp
  struct UnitPart {
    std::string start, stop;
  };
  void write_columns();
  int64_t choose_block() const;
  int choose_chains() const;
  int choose_unroll() const;
  UnitPart write_column_units(size_t inner_loops = 1);
  std::string column_point(std::vector<std::string>& hoisted);
  void column_loops();
  void column_segment(const schedule::Segment&, size_t index, std::vector<std::string>& hoisted);
  void column_results(const schedule::Segment&, size_t index, std::vector<std::string>& hoisted);
  std::string column_update(const schedule::Segment&, size_t index, size_t reduction, ValueEmitter&) const;
  std::string column_accumulator(size_t segment, size_t reduction) const;
  std::string column_result(const schedule::Segment&, size_t index, size_t reduction) const;
  void declare_column_accumulators(const schedule::Segment&, size_t index);
  std::optional<Parts> column_parts(const schedule::Segment&, size_t index) const;
  void open_vectors();
  void close_vectors();
  struct FarLoad {
    ir::Expr load;
    IndexExpr offset;
  };
  std::vector<FarLoad> far_loads(const schedule::Segment&) const;
  std::vector<std::string> prefetch_later_rows(const schedule::Segment&) const;

  // loops_windows.cpp
  bool slides() const;
  int choose_neighbours() const;
  int64_t choose_window_block() const;
  std::string inside_text(const std::string& first) const;
  void write_windows();

  // loops_transposed.cpp
  struct TransposedLoad {
    ir::Expr load;
    IndexExpr offset, across;
    std::optional<IndexExpr> end;  // of what is there to read along the last loop
  };
  std::vector<TransposedLoad> transposed_loads(const ir::Loop& tile_loop, const ir::Loop& last) const;
  int64_t tile_side(const std::vector<TransposedLoad>&, const ir::Loop& tile_loop, const ir::Loop& last) const;
  std::vector<std::string> prefetch_next_tile(const std::vector<TransposedLoad>&, const ir::Loop& tile_loop,
                                              const ir::Loop& last) const;
  void write_transposed();
};

}  // namespace cppgen::codegen
