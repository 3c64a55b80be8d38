#pragma once
#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/codegen/transposed_block.h"
#include "cppgen/forms/attention/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// An operand (OperandMatrix) of one block of keys; `block` is the address of its first element.
struct BlockMatrix {
  Code block, row_stride, step_stride;
  bool rows_contiguous;
  Code first_key{};  // where its rows are keys in place: the address of the first of all keys
  const Code& ld() const { return rows_contiguous ? step_stride : row_stride; }
  // The address of a key of the block.
  Code at_key(const Code& key) const {
    return first_key.empty() ? sum(block, times(code("({} - key0)", key), row_stride))
                             : sum(first_key, times(key, row_stride));
  }
};

// Constants that are not used by all attentions or by all loops over panels.
inline const Code kInBlock = Code::name("in_block"), kPeak = Code::name("peak"), kShrink = Code::name("shrink"),
                  kHalf = Code::name("half"), kQuery = Code::name("query"), kSums = Code::name("sums"),
                  kGreatest = Code::name("greatest"), kTotal = Code::name("total"), kQueryPanels = Code::name("panels"),
                  kPanelsAtOnce = Code::name("at_once"), kPanelGroups = Code::name("groups"),
                  kEarlier = Code::name("earlier");

class AttentionWriter : public KernelWriter {
 public:
  AttentionWriter(const KernelView& view, const AttentionPlan& plan, const Options& options)
      : KernelWriter(view, options), plan_(plan) {}

 private:
  const AttentionPlan& plan_;
  const char* const exp_ = options_.use_fast_math ? "vec::fast::exp_flushed" : "vec::exp_flushed";

  const schedule::Attention& attention() const { return *kernel_.attention; }
  void write_body() override;
  rt::TileShape tile() const { return view_.target.tiles[size_t(rt::TileFormat::f32)]; }
  // Returns whether scores are the products themselves, which the tiles have stored already.
  bool score_is_product() const { return attention().score->kind == ir::ExprKind::accumulator; }
  bool is_narrow(Expr load) const { return view_.type_of(load->buffer) != DType::f32; }
  void declare_scratch();
  void write_many_rows();
  void open_panels();
  void write_keys_of_unit(const KeysSeen&);
  void write_query_panel();
  BlockMatrix in_place(Expr load, const OperandMatrix&, IndexExpr key_stride) const;
  // The block as tiles read it: in place, or a copy in float32.
  BlockMatrix widened(Expr load, const OperandMatrix&, const ir::Loop& rows, const ir::Loop& steps, const Code& copy);
  // The functions for an operand whose rows or steps are contiguous, by the number of rows; `entry` is a name for their
  // position in the table.
  Code tile_functions(const Code& entry, const BlockMatrix&);
  BlockMatrix keys_block_, values_block_;
  void write_key_blocks();
  // Sums of groups of keys (plan_.group_keys).
  Code is_end_of_group() const { return code("key0 > 0 && key0 % {} == 0", plan_.group_keys); }
  Code are_several_groups(const char* keys) const { return code("{} > {}", keys, plan_.group_keys); }
  Code join_panel(bool last) const;
  Code join_row(const Code& row, bool last) const;
  Code seen_by(const Code& row, const KeysSeen&) const;
  // Declares `visible` and skips blocks in which the panel sees no key; returns the end of the keys.
  Code write_visible(const KeysSeen&);
  void write_score_tiles(const Statements& values, const ValueEmitter&, const Code& score);
  void write_powers();
  void write_values();
  void write_result();
  void write_epilogue();

  // attention_few.cpp
  void write_few_rows();
  void write_few_queries();
  void write_few_blocks();
  void write_few_scores(const Statements& values, const Code& score);
  void write_few_values(const Code& row);
  void write_few_results();
  Code divisor(const Code& total) const;
  void write_product(const BlockMatrix&, const Code& out, const Code& row, const char* count, const char* steps);
};

}  // namespace cppgen::forms
