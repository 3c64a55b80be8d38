#include "cppgen/schedule/engines/pad_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

// The distance between successive rows in bytes; 0 if it is not constant.
int64_t row_distance(const Program& program, Expr left, const std::vector<ir::Loop>& rows, const Layouts& layouts) {
  if (rows.empty()) return 0;
  const auto stride = ir::stride_of(offset_of(program, layouts, left), rows.back().var.node());
  const auto element = int64_t(size_of(program.buffer(left->buffer).type));
  return stride && stride->is_constant() ? std::abs(stride->constant()) * element : 0;
}

bool share_sets(int64_t distance, int64_t rows_per_set, rt::TileShape shape, const Target& target) {
  const int64_t sets = target.l1_set_period / std::gcd(target.l1_set_period, distance);
  return distance != 0 && shape.mr > rows_per_set * sets;
}

// Returns whether a library function or a repetition accesses a buffer, by buffer.
std::vector<bool> expected_without_gaps(const Program& program, const std::vector<ContractionStep>& steps) {
  std::vector<bool> expected(program.buffers.size(), false);
  const auto add = [&](const std::vector<BufferId>& buffers) {
    for (BufferId b : buffers) expected[size_t(b)] = true;
  };
  for (size_t i = 0; i < steps.size(); i++) {
    if (const auto* call = std::get_if<LibraryStep>(&steps[i])) add(call->inputs), add(call->outputs);
    if (!as_nest(program.statements[i]))
      add(buffers_read(program.statements[i])), add(buffers_written(program.statements[i]));
  }
  return expected;
}

void pad_rows_of(Schedule& schedule, const TileContraction& c, const Target& target) {
  const ir::Buffer& buffer = schedule.program.buffer(c.left->buffer);
  if (buffer.kind != ir::BufferKind::temporary || buffer.shape.size() < 2) return;
  const int64_t distance = row_distance(schedule.program, c.left, c.rows, schedule.layouts);
  if (!share_sets(distance, target.tuning.rows_per_set, c.shape, target)) return;
  schedule.layouts[size_t(buffer.id)].pad = target.cache_line / int64_t(size_of(buffer.type));
  schedule.log.add("layout", buffer.name,
                   FusionDecision::yes(fmt::format(
                       "rows {} bytes apart conflict in the cache, so a cache line is added to each", distance)));
}

}  // namespace

bool rows_need_copies(const Program& program, Expr left, const std::vector<ir::Loop>& rows, const Layouts& layouts,
                      rt::TileShape shape, const Target& target) {
  return program.buffer(left->buffer).kind != ir::BufferKind::temporary &&
         share_sets(row_distance(program, left, rows, layouts), target.tuning.rows_per_set_uncopied, shape, target);
}

void pad_conflicting_rows(Draft& draft) {
  const std::vector<bool> without_gaps = expected_without_gaps(draft.program(), draft.contractions);
  for (const ContractionStep& step : draft.contractions)
    if (const auto* tiles = std::get_if<TileContraction>(&step);
        tiles && tiles->form == kTilesForm && !tiles->left_value && !without_gaps[size_t(tiles->left->buffer)])
      pad_rows_of(draft.schedule, *tiles, draft.target);
}

}  // namespace cppgen::schedule
