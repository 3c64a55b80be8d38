#include <algorithm>

#include "cppgen/forms/attention/plan.h"
#include "cppgen/kernel/accessed.h"
#include "cppgen/kernel/instructions.h"
#include "cppgen/schedule/costs.h"

namespace cppgen::forms {
namespace {

using schedule::Attention;
using schedule::Costs;

// The scores of rows that no mask hides, where groups of rows are computed together. A row sees as many keys as the
// mean of the first and the last one.
IndexExpr scores_seen(const Attention& a, const std::optional<KeysSeen>& seen, int64_t group) {
  if (!seen) return points(a.batch) * a.rows.extent * a.keys.extent;
  const auto keys_of_row = [&](IndexExpr row) {
    return ir::min(a.keys.extent, ir::max(seen->first + seen->by_row * row, 0));
  };
  const IndexExpr last = ir::max(a.rows.extent - 1, 0), first = ir::min(last, group - 1);
  return points(a.batch) * ir::ceildiv(a.rows.extent * (keys_of_row(first) + keys_of_row(last)), 2);
}

IndexExpr bytes_of_attention(const KernelView& view) {
  const Attention& a = *view.kernel.attention;
  Accessed accessed(view);
  for (const Expr load : {a.query, a.key, a.value}) accessed.add_all(load->buffer);
  std::vector<ir::Loop> scores = a.batch;
  scores.insert(scores.end(), {a.rows, a.keys});
  for (Expr e : ir::postorder({&a.score, 1})) accessed.add_load(e, scores);
  std::vector<ir::Loop> outer = a.batch;
  outer.insert(outer.end(), {a.rows, a.columns});
  accessed.add_segments(outer);
  return accessed.bytes();
}

}  // namespace

KernelWork AttentionPlan::work(const KernelView& view) const {
  KernelWork work;
  const Attention& a = *view.kernel.attention;
  const Costs& costs = costs_of(view.target);
  const int64_t width = view.target.tiles[size_t(rt::TileFormat::f32)].nr;
  const IndexExpr scores = scores_seen(a, hidden, width);
  work.flops = 2 * scores_seen(a, hidden, 1) * (a.head_size.extent + a.columns.extent);
  work.products = ir::ceildiv(
      ir::ceildiv(scores, view.target.lanes) * (a.head_size.extent + a.columns.extent) * costs.attention_tenths, 10);
  const Instructions softmax{0, costs.softmax, costs.function_least};  // the least for its exponential
  set_instructions(work,
                   ir::ceildiv(scores, view.target.lanes) * (softmax + instructions_of_vector({a.score}, view.target)));
  work.bytes = bytes_of_attention(view);
  return work;
}

}  // namespace cppgen::forms
