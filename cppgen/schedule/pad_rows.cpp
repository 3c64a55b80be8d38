#include "cppgen/schedule/pad_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cppgen::schedule {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kRowsPerSet = 4;  // of a tile; what else the tile reads needs the other ways

// Bytes between successive rows; 0 where that is not one number.
int64_t row_distance(const Program& program, const TileContraction& c, const Layouts& layouts) {
  if (c.rows.empty()) return 0;
  const ir::Buffer& buffer = program.buffer(c.left->buffer);
  const IndexExpr offset = offset_of(buffer, layouts[size_t(buffer.id)], c.left->indices);
  const auto stride = ir::stride_of(offset, c.rows.back().var.node());
  return stride && stride->is_constant() ? std::abs(stride->constant()) * int64_t(size_of(buffer.type)) : 0;
}

}  // namespace

void pad_conflicting_rows(const Program& program, const TileContraction& c, const std::vector<BufferId>& library,
                          const Target& target, Layouts& layouts, DecisionLog& log) {
  const ir::Buffer& buffer = program.buffer(c.left->buffer);
  if (buffer.kind != ir::BufferKind::temporary || buffer.shape.size() < 2) return;
  if (std::find(library.begin(), library.end(), buffer.id) != library.end()) return;
  const int64_t distance = row_distance(program, c, layouts);
  if (distance == 0) return;
  const int64_t sets = target.l1_set_period / std::gcd(target.l1_set_period, distance);
  if (c.shape.mr <= kRowsPerSet * sets) return;
  layouts[size_t(buffer.id)].pad = kLine / int64_t(size_of(buffer.type));
  log.add("layout", buffer.name, FusionDecision::yes(fmt::format("rows {} bytes apart: a cache line more", distance)));
}

}  // namespace cppgen::schedule
