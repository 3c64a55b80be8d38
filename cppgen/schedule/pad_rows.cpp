#include "cppgen/schedule/pad_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cppgen::schedule {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kRowsPerSet = 4;  // of a tile; what else the tile reads needs the other ways

// Bytes between successive rows; 0 where that is not one number.
int64_t row_distance(const Program& program, Expr left, const std::vector<ir::Loop>& rows, const Layouts& layouts) {
  if (rows.empty()) return 0;
  const ir::Buffer& buffer = program.buffer(left->buffer);
  const IndexExpr offset = offset_of(buffer, layouts[size_t(buffer.id)], left->indices);
  const auto stride = ir::stride_of(offset, rows.back().var.node());
  return stride && stride->is_constant() ? std::abs(stride->constant()) * int64_t(size_of(buffer.type)) : 0;
}

bool share_sets(int64_t distance, rt::TileShape shape, const Target& target) {
  return distance != 0 && shape.mr > kRowsPerSet * (target.l1_set_period / std::gcd(target.l1_set_period, distance));
}

}  // namespace

bool rows_conflict(const Program& program, const ContractionView& view, const Layouts& layouts, rt::TileShape shape,
                   const Target& target) {
  return share_sets(row_distance(program, view.left, view.rows, layouts), shape, target);
}

void pad_conflicting_rows(const Program& program, const TileContraction& c, const std::vector<BufferId>& library,
                          const Target& target, Layouts& layouts, DecisionLog& log) {
  const ir::Buffer& buffer = program.buffer(c.left->buffer);
  if (buffer.kind != ir::BufferKind::temporary || buffer.shape.size() < 2) return;
  if (std::find(library.begin(), library.end(), buffer.id) != library.end()) return;
  const int64_t distance = row_distance(program, c.left, c.rows, layouts);
  if (!share_sets(distance, c.shape, target)) return;
  layouts[size_t(buffer.id)].pad = kLine / int64_t(size_of(buffer.type));
  log.add("layout", buffer.name, FusionDecision::yes(fmt::format("rows {} bytes apart: a cache line more", distance)));
}

}  // namespace cppgen::schedule
