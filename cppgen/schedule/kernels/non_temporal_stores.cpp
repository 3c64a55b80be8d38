#include <algorithm>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

// 0 if the size is not known before the run.
int64_t bytes_of(const ir::Buffer& b) {
  int64_t bytes = int64_t(size_of(b.type));
  for (IndexExpr d : b.shape) bytes *= d.is_constant() ? d.constant() : 0;
  return bytes;
}

bool only_pointwise(const FusedKernel& k) {
  return is_loops(k) && k.vector_outer && std::all_of(k.segments.begin(), k.segments.end(), [](const Segment& s) {
           return s.loops.empty() && s.reduced.empty();
         });
}

bool in_place(const Schedule& s, ir::BufferId b) {
  return std::any_of(s.in_place.begin(), s.in_place.end(), [&](const InPlace& p) { return p.output == b; });
}

}  // namespace

void find_non_temporal_stores(Draft& draft) {
  const Target& target = draft.target;
  Schedule& schedule = draft.schedule;
  if (target.l3_bytes == 0) return;
  const Uses uses = collect_uses(schedule.program);
  for (ScheduledStep& step : schedule.steps) {
    auto* kernel = std::get_if<FusedKernel>(&step);
    if (!kernel || !only_pointwise(*kernel)) continue;
    int64_t touched = 0;
    for (const auto* buffers : {&kernel->inputs, &kernel->outputs})
      for (ir::BufferId b : *buffers) touched += bytes_of(schedule.program.buffer(b));
    if (touched <= target.l3_bytes) continue;
    for (ir::BufferId b : kernel->outputs)
      if (schedule.program.buffer(b).kind == ir::BufferKind::output && uses.readers[size_t(b)].empty() &&
          !in_place(schedule, b))
        kernel->non_temporal.push_back(b);
  }
}

}  // namespace cppgen::schedule
