#pragma once
#include <algorithm>
#include <optional>

#include "cppgen/codegen/kernel_writer.h"

namespace cppgen::codegen {

// Keys of one block: all of a short sequence, else as many as keep the scores in L1 or L2; full tiles on each ISA.
inline constexpr int64_t kShortSequence = 512, kBlock = 252, kPanelsPerUnit = 4;

inline int64_t keys_of_block(const schedule::Attention& a) {
  const IndexExpr keys = a.keys.extent;
  return keys.is_constant() && keys.constant() <= kShortSequence ? std::max<int64_t>(keys.constant(), 1) : kBlock;
}

// An operand as tiles read it: element (row, step) at row * ld + step, or at row + step * ld.
struct LeftMatrix {
  IndexExpr base, row_stride, step_stride;
  bool rows_contiguous;
  IndexExpr ld() const { return rows_contiguous ? step_stride : row_stride; }
};

inline LeftMatrix matrix_of(IndexExpr offset, const ir::Loop& rows, const ir::Loop& steps) {
  LeftMatrix m;
  m.row_stride = *ir::stride_of(offset, rows.var.node()), m.step_stride = *ir::stride_of(offset, steps.var.node());
  m.base = ir::substitute(offset, {{rows.var.node(), 0}, {steps.var.node(), 0}});
  const bool steps_contiguous = m.step_stride.is_constant(1) || steps.extent.is_constant(1);
  m.rows_contiguous = !steps_contiguous;
  return m;
}

class AttentionWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 private:
  void write_body() override;
  rt::TileShape tile() const { return target_.tiles[size_t(rt::TileFormat::f32)]; }
  // Row r of the queries sees `first` + `by_row` * r keys, or none where that is not positive.
  struct KeysSeen {
    IndexExpr first;
    int64_t by_row;
  };
  IndexExpr panels_per_unit() const;
  void declare_scratch();
  void open_panels();
  std::optional<KeysSeen> keys_seen() const;
  void write_keys_of_unit(const KeysSeen&);
  void write_query_panel();
  // A load of the scores whose lanes lie apart but whose keys lie next to each other: turned a block at a time.
  struct TurnedLoad {
    Expr load;
    IndexExpr start, ld;  // where the first key of the first row lies, and how far the rows lie apart
    std::string scratch;
  };
  std::vector<TurnedLoad> turned_loads() const;
  void write_key_blocks(const std::optional<KeysSeen>&);
  void write_score_tiles(const std::vector<std::string>& values, const ValueEmitter&, const std::string& score);
  void write_powers();
  void write_values();
  void write_result();
  void write_epilogue();
};

}  // namespace cppgen::codegen
