#pragma once
#include <algorithm>
#include <optional>

#include "cppgen/codegen/attention_mask.h"
#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/codegen/turned_block.h"

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

// The same of one block of keys: `block` is the text of its first element's address.
struct BlockMatrix {
  std::string block, row_stride, step_stride;
  bool rows_contiguous;
  const std::string& ld() const { return rows_contiguous ? step_stride : row_stride; }
};

class AttentionWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 private:
  void write_body() override;
  rt::TileShape tile() const { return target_.tiles[size_t(rt::TileFormat::f32)]; }
  IndexExpr panels_per_unit() const;
  // Rows up to which a unit takes them one by one, with keys or features as lanes.
  int64_t few_rows() const;
  bool is_narrow(Expr load) const;
  void declare_scratch();
  void write_many_rows();
  void open_panels();
  std::optional<KeysSeen> hidden_keys() const;
  void write_keys_of_unit(const KeysSeen&);
  void write_query_panel();
  // A load of the scores whose lanes lie apart but whose keys lie next to each other: turned a block at a time.
  struct TurnedLoad {
    Expr load;
    IndexExpr start, ld;  // where the first key of the first row lies, and how far the rows lie apart
    TurnedBlock block;
  };
  std::vector<TurnedLoad> turned_loads() const;
  LeftMatrix key_matrix() const;
  LeftMatrix value_matrix() const;
  BlockMatrix in_place(Expr load, const LeftMatrix&, IndexExpr key_stride) const;
  // Where tiles read a block: in place, or from a copy in float32.
  BlockMatrix widened(Expr load, const LeftMatrix&, const ir::Loop& rows, const ir::Loop& steps,
                      const std::string& copy);
  BlockMatrix keys_block_, values_block_;
  void write_key_blocks(const std::optional<KeysSeen>&);
  // Declares `visible` and passes over blocks without keys that the panel sees; returns where its keys end.
  std::string write_visible(const KeysSeen&);
  void write_score_tiles(const std::vector<std::string>& values, const ValueEmitter&, const std::string& score);
  void write_powers();
  void write_values();
  void write_result();
  void write_epilogue();

  // Few rows (attention_few.cpp).
  void write_few_rows();
  void write_few_queries();
  void write_few_blocks();
  void write_few_scores(const std::vector<std::string>& values, const std::string& score);
  void write_few_values(const std::string& row);
  void write_few_results();
  std::string divisor(const std::string& total) const;
  void write_product(const BlockMatrix&, const std::string& out, const std::string& row, const char* count,
                     const char* steps);
};

}  // namespace cppgen::codegen
