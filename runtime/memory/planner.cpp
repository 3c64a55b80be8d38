#include "runtime/memory/planner.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

struct Block {
  size_t root;
  int64_t bytes;  // a multiple of kBufferAlignment
  int32_t first, last;
  int64_t offset = 0;

  bool meets(const Block& other) const { return first <= other.last && other.first <= last; }
};

int64_t aligned(int64_t bytes) {
  return checked_add(bytes, kBufferAlignment - 1, "arena") / kBufferAlignment * kBufferAlignment;
}

// One block per group of sharing buffers, in the order of their roots.
std::vector<Block> make_blocks(std::span<const PlanBuffer> buffers, std::span<const int64_t> sizes,
                               const std::vector<size_t>& roots, bool outputs) {
  const auto placed = [&](const PlanBuffer& buffer) {
    return buffer.kind == PlanBufferKind::temporary || (outputs && buffer.kind == PlanBufferKind::output);
  };
  std::vector<Block> blocks;
  std::vector<int64_t> block_of(buffers.size(), -1);
  for (size_t i = 0; i < buffers.size(); i++) {
    const PlanBuffer& buffer = buffers[i];
    if (sizes[i] < 0) user_error("buffer {} has {} bytes", i, sizes[i]);
    if (!placed(buffer)) continue;
    const size_t root = roots[i];
    if (sizes[i] > sizes[root])
      user_error("buffer {} of {} bytes is part of buffer {} of {} bytes", i, sizes[i], root, sizes[root]);
    if (!placed(buffers[root])) continue;
    if (root == i) {
      const bool result = buffer.kind == PlanBufferKind::output;
      block_of[i] = int64_t(blocks.size());
      blocks.push_back(
          {i, aligned(sizes[i]), buffer.first_step, result ? std::numeric_limits<int32_t>::max() : buffer.last_step});
    } else {
      Block& block = blocks[size_t(block_of[root])];
      block.first = std::min(block.first, buffer.first_step);
      block.last = std::max(block.last, buffer.last_step);
    }
  }
  return blocks;
}

// sharing_root of all buffers: the buffer that one shares precedes it, so chains are followed once.
std::vector<size_t> sharing_roots(std::span<const PlanBuffer> buffers) {
  std::vector<size_t> roots;
  for (size_t i = 0; i < buffers.size(); i++) {
    const int32_t shares = buffers[i].shares;
    roots.push_back(shares < 0 ? i : size_t(shares) < i ? roots[size_t(shares)] : sharing_root(buffers, i));
  }
  return roots;
}

// The offset of the smallest gap that holds `block` between the blocks that live at the same time, else after them.
int64_t best_fit(const Block& block, const std::vector<const Block*>& by_offset) {
  int64_t end = 0, best = -1, best_gap = 0;
  for (const Block* other : by_offset) {
    if (!block.meets(*other)) continue;
    const int64_t gap = other->offset - end;
    if (gap >= block.bytes && (best < 0 || gap < best_gap)) best = end, best_gap = gap;
    end = std::max(end, other->offset + other->bytes);
  }
  return best < 0 ? end : best;
}

void place_greedily(std::vector<Block>& blocks) {
  std::vector<Block*> order;
  for (Block& block : blocks) order.push_back(&block);
  std::sort(order.begin(), order.end(), [](const Block* a, const Block* b) {
    return std::tuple(-a->bytes, a->first, a->root) < std::tuple(-b->bytes, b->first, b->root);
  });
  std::vector<const Block*> by_offset;
  for (Block* block : order) {
    block->offset = best_fit(*block, by_offset);
    const auto after = std::upper_bound(by_offset.begin(), by_offset.end(), block,
                                        [](const Block* a, const Block* b) { return a->offset < b->offset; });
    by_offset.insert(after, block);
  }
}

}  // namespace

size_t sharing_root(std::span<const PlanBuffer> buffers, size_t index) {
  while (buffers[index].shares >= 0) index = size_t(buffers[index].shares);
  return index;
}

MemoryPlan plan_memory(std::span<const PlanBuffer> buffers, std::span<const int64_t> sizes, MemoryOptions options) {
  check(buffers.size() == sizes.size(), "plan_memory: the number of sizes is not the number of buffers");
  const std::vector<size_t> roots = sharing_roots(buffers);
  std::vector<Block> blocks = make_blocks(buffers, sizes, roots, options.outputs);
  int64_t total = 0;
  for (Block& block : blocks) {
    block.offset = total;  // a bound of any placement, so nothing below overflows
    total = checked_add(total, block.bytes, "arena");
  }
  if (options.reuse) place_greedily(blocks);

  MemoryPlan plan{std::vector<int64_t>(buffers.size(), -1), 0, blocks.size()};
  for (const Block& block : blocks) {
    plan.offsets[block.root] = block.offset;
    plan.arena_bytes = std::max(plan.arena_bytes, block.offset + block.bytes);
  }
  for (size_t i = 0; i < buffers.size(); i++)
    if (buffers[i].kind == PlanBufferKind::temporary) plan.offsets[i] = plan.offsets[roots[i]];
  return plan;
}

}  // namespace cppgen::rt
