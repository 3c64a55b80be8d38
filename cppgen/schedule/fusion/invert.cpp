#include "cppgen/schedule/fusion/invert.h"

namespace cppgen::schedule {
namespace {

using ir::IndexExpr;
using ir::IndexNode;
using ir::IndexOp;

// The relation between one index and one variable: index = floor(variable / divisor) [mod modulus].
struct Part {
  IndexExpr divisor;
  bool whole;  // no modulus: the top part, or the variable itself
  IndexExpr modulus = 0;
};

std::optional<Part> part_of(IndexExpr index, const IndexNode* variable) {
  const IndexNode* n = index.node();
  if (!n) return std::nullopt;
  if (n == variable) return Part{1, true};
  if (n->op == IndexOp::floordiv && n->args[0].node() == variable) return Part{n->args[1], true};
  if (n->op != IndexOp::mod) return std::nullopt;
  const IndexNode* inner = n->args[0].node();
  if (inner == variable) return Part{1, false, n->args[1]};
  if (inner && inner->op == IndexOp::floordiv && inner->args[0].node() == variable)
    return Part{inner->args[1], false, n->args[1]};
  return std::nullopt;
}

// variable = sum of parts x divisors, if some index is only about this variable.
std::optional<IndexExpr> from_parts(const ir::Loop& loop, const std::vector<IndexExpr>& reads,
                                    const std::vector<IndexExpr>& writes) {
  IndexExpr sum = 0;
  bool any = false;
  for (size_t d = 0; d < reads.size(); d++) {
    auto part = part_of(reads[d], loop.var.node());
    if (!part) continue;
    if (part->whole && part->divisor.is_constant(1)) return writes[d];
    sum = sum + writes[d] * part->divisor;
    any = true;
  }
  return any ? std::optional(sum) : std::nullopt;
}

// An index that is a sum of several variables with strides: digits of a mixed radix number.
std::optional<IndexExpr> from_digits(const ir::Loop& loop, const std::vector<IndexExpr>& reads,
                                     const std::vector<IndexExpr>& writes) {
  for (size_t d = 0; d < reads.size(); d++) {
    if (!ir::depends_on(reads[d], loop.var.node())) continue;
    auto stride = ir::stride_of(reads[d], loop.var.node());
    if (!stride || stride->range().lo < 1 || loop.extent.range().lo < 1) continue;
    return ir::mod(ir::floordiv(writes[d], *stride), loop.extent);
  }
  return std::nullopt;
}

// variable = sum of digits x divisors, where the index is a weighted sum of all parts of the variable: a shuffle of
// channels reads (v % 4) * 34 + v / 4.
std::optional<IndexExpr> from_weighted_parts(const ir::Loop& loop, IndexExpr read, IndexExpr write) {
  const IndexNode* sum = read.node();
  if (!sum || sum->op != IndexOp::sum || sum->constant != 0) return std::nullopt;
  IndexExpr value = 0;
  for (const ir::IndexTerm& term : sum->terms) {
    const auto part = part_of(IndexExpr(term.node), loop.var.node());
    if (!part || term.coefficient < 1) return std::nullopt;
    const IndexExpr extent = part->whole ? ir::ceildiv(loop.extent, part->divisor) : part->modulus;
    if (extent.range().lo < 1) return std::nullopt;
    value = value + ir::mod(ir::floordiv(write, term.coefficient), extent) * part->divisor;
  }
  return value;
}

std::optional<IndexExpr> from_weighted_parts(const ir::Loop& loop, const std::vector<IndexExpr>& reads,
                                             const std::vector<IndexExpr>& writes) {
  for (size_t d = 0; d < reads.size(); d++)
    if (auto value = from_weighted_parts(loop, reads[d], writes[d])) return value;
  return std::nullopt;
}

}  // namespace

std::optional<ir::IndexMap> invert(const std::vector<ir::Loop>& loops, const std::vector<IndexExpr>& reads,
                                   const std::vector<IndexExpr>& writes) {
  ir::IndexMap solution;
  for (const auto& loop : loops) {
    if (loop.extent.is_constant(1)) {
      solution[loop.var.node()] = 0;
      continue;
    }
    auto value = from_parts(loop, reads, writes);
    if (!value) value = from_weighted_parts(loop, reads, writes);
    if (!value) value = from_digits(loop, reads, writes);
    if (!value) return std::nullopt;
    solution[loop.var.node()] = *value;
  }
  for (size_t d = 0; d < reads.size(); d++)
    if (!ir::prove_equal(ir::substitute(reads[d], solution), writes[d])) return std::nullopt;
  return solution;
}

}  // namespace cppgen::schedule
