#include "cppgen/forms/contraction/writer.h"

#include <algorithm>

#include "cppgen/kernel/view.h"
#include "runtime/contraction/tiles_ahead.h"

namespace cppgen::forms {

ValueEmitter ContractionWriter::contraction_epilogue(EpilogueOrder order) {
  const schedule::Segment& epilogue = kernel_.segments[0];
  const ir::IndexNode* const column = kernel_.contraction->columns.var.node();
  std::vector<const ir::IndexNode*> variables;
  for (const ir::Loop& l : epilogue.loops) variables.push_back(l.var.node());
  variables.insert(order == EpilogueOrder::rows ? variables.end() : variables.begin(), column);
  ValueEmitter e(context_, variables, column, "n");
  e.align_lanes(view_.target.lanes);
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(epilogue.stores);
  return e;
}

Code ContractionWriter::share_of_panel(const Code& tile, int64_t tiles, int64_t steps, int64_t distance) {
  constexpr int64_t kLeastBytes = 8;
  const int64_t of_step = kernel_.contraction->shape.nr * int64_t(sizeof(float));
  const int64_t even = std::clamp<int64_t>(kernel::pieces(of_step, tiles), kLeastBytes, rt::kLineBytes);
  const int64_t units = kernel::pieces(even, rt::kAheadStep), bytes = units * rt::kAheadStep;
  const int64_t sharing = kernel::pieces(of_step, bytes), share = steps * bytes / rt::kLineBytes * rt::kLineBytes;
  const Code place = sum(times(tile, share), distance + units);
  if (tiles <= sharing) return place;
  const Code ahead = Code::name("ahead");
  body_.let(ahead, "{} < {} ? {} : 0", tile, sharing, place);
  return ahead;
}

}  // namespace cppgen::forms
