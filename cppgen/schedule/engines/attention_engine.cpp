#include "cppgen/schedule/engines/attention_engine.h"

#include <algorithm>

namespace cppgen::schedule {
namespace {

using ir::Loop;

bool is_plain(const Program& program, Expr load) {
  return load->kind == ir::ExprKind::load && load->guards.empty() && load->indirects.empty() &&
         load->type == DType::f32 && is_float(program.buffer(load->buffer).type);
}

// Returns whether an operand is a matrix over the two loops, contiguous along one of them.
bool is_matrix(const Program& program, const Layouts& layouts, Expr load, const Loop& along, const Loop& across) {
  IndexExpr offset = offset_of(program, layouts, load);
  auto first = ir::stride_of(offset, along.var.node()), second = ir::stride_of(offset, across.var.node());
  if (!first || !second) return false;
  return first->is_constant(1) || second->is_constant(1) || along.extent.is_constant(1) || across.extent.is_constant(1);
}

bool strided(const Attention& a, Expr load) {
  return std::all_of(a.batch.begin(), a.batch.end(), [&](const Loop& l) {
    return std::all_of(load->indices.begin(), load->indices.end(),
                       [&](IndexExpr i) { return ir::stride_of(i, l.var.node()).has_value(); });
  });
}

// The kernel widens what it reads; instructions for pairs of bfloat16 do twice the work.
bool faster_in_pairs(const Program& program, const Attention& a, const Options& options, const Target& target) {
  const auto is_bf16 = [&](Expr load) { return program.buffer(load->buffer).type == DType::bf16; };
  return options.fpmath != FloatMath::strict && target.bf16_dot_speed > 1 &&
         target.tiles[size_t(rt::TileFormat::bf16)].mr > 0 && a.rows.extent.range().lo > target.tuning.few_queries &&
         is_bf16(a.query) && is_bf16(a.key) && is_bf16(a.value) && strided(a, a.key) && strided(a, a.value);
}

FusionDecision supports_attention(const Program& program, const Layouts& layouts, const Attention& a,
                                  const Options& options, const Target& target) {
  if (!is_plain(program, a.query) || !is_plain(program, a.key) || !is_plain(program, a.value))
    return FusionDecision::no("an operand is not a float of at most 32 bits, or is read under a condition");
  if (!is_matrix(program, layouts, a.key, a.head_size, a.keys))
    return FusionDecision::no("the keys are not contiguous");
  if (!is_matrix(program, layouts, a.value, a.columns, a.keys))
    return FusionDecision::no("the values are not contiguous");
  if (!is_matrix(program, layouts, a.query, a.head_size, a.rows))
    return FusionDecision::no("the queries are not contiguous");
  for (const Loop& l : {a.head_size, a.columns})
    if (l.extent.range().hi > target.tuning.head_features)
      return FusionDecision::no("the heads are too wide, or of unknown width");
  if (faster_in_pairs(program, a, options, target))
    return FusionDecision::no("separate products are faster: this CPU multiplies pairs of bfloat16");
  return FusionDecision::yes();
}

}  // namespace

AttentionEngine attention_on_lanes() { return {"attention", std::string(kAttentionForm), supports_attention}; }

}  // namespace cppgen::schedule
