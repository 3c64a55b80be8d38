#include "cppgen/emit/memory_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/memory/planner.h"
#include "runtime/session/waves.h"

namespace cppgen::emit {
namespace {

using rt::PlanBuffer;
using rt::PlanBufferKind;

// The temporaries that share the memory of one, the root.
struct Group {
  size_t root;
  int32_t first, last;  // steps
};

// Consecutive groups in the same memory.
struct Block {
  int32_t last;
  std::string bytes;
  std::vector<size_t> roots;
};

std::vector<Group> groups_of(const std::vector<PlanBuffer>& buffers) {
  std::map<size_t, Group> groups;
  for (size_t i = 0; i < buffers.size(); i++) {
    const size_t root = rt::sharing_root(buffers, i);
    if (buffers[i].kind != PlanBufferKind::temporary || buffers[root].kind != PlanBufferKind::temporary) continue;
    Group& group = groups.try_emplace(root, Group{root, buffers[i].first_step, buffers[i].last_step}).first->second;
    group.first = std::min(group.first, buffers[i].first_step), group.last = std::max(group.last, buffers[i].last_step);
  }
  std::vector<Group> list;
  for (const auto& [root, group] : groups) list.push_back(group);
  std::sort(list.begin(), list.end(),
            [](const Group& a, const Group& b) { return std::tie(a.first, a.root) < std::tie(b.first, b.root); });
  return list;
}

// Preferably a block of the same size.
Block* free_block(std::vector<Block>& blocks, const Group& group, const std::string& bytes) {
  Block* found = nullptr;
  for (Block& block : blocks)
    if (block.last < group.first && (!found || (block.bytes == bytes && found->bytes != bytes))) found = &block;
  return found;
}

std::vector<Block> share_blocks(const std::vector<PlanBuffer>& buffers, SizeTable& sizes) {
  std::vector<Block> blocks;
  for (const Group& group : groups_of(buffers)) {
    const std::string bytes = sizes.use_size(buffers[group.root].bytes).text;
    if (Block* block = free_block(blocks, group, bytes)) {
      if (block->bytes != bytes) block->bytes = sizes.bind(fmt::format("math.max({}, {})", block->bytes, bytes));
      block->last = group.last;
      block->roots.push_back(group.root);
    } else {
      blocks.push_back({group.last, bytes, {group.root}});
    }
  }
  return blocks;
}

MemoryText place_known(const rt::Plan& plan, const std::vector<PlanBuffer>& buffers) {
  std::vector<int64_t> sizes;
  for (const PlanBuffer& buffer : plan.buffers)
    sizes.push_back(buffer.bytes.code.empty() ? 0 : rt::evaluate(buffer.bytes, {}));
  const rt::MemoryPlan placed = rt::plan_memory(buffers, sizes);
  MemoryText memory{{}, integer_text(placed.arena_bytes)};
  for (const int64_t offset : placed.offsets) memory.offsets.push_back(offset < 0 ? "" : integer_text(offset));
  return memory;
}

MemoryText place_symbolic(const std::vector<PlanBuffer>& buffers, SizeTable& sizes) {
  MemoryText memory{std::vector<std::string>(buffers.size()), "0"};
  for (const Block& block : share_blocks(buffers, sizes)) {
    for (const size_t root : block.roots) memory.offsets[root] = memory.arena_bytes;
    memory.arena_bytes = sizes.bind(fmt::format("math.add({}, math.aligned({}))", memory.arena_bytes, block.bytes));
  }
  for (size_t i = 0; i < buffers.size(); i++)
    if (buffers[i].kind == PlanBufferKind::temporary) memory.offsets[i] = memory.offsets[rt::sharing_root(buffers, i)];
  return memory;
}

}  // namespace

MemoryText place_buffers(const rt::Plan& plan, SizeTable& sizes) {
  std::vector<rt::Wave> waves;
  for (size_t s = 0; s < plan.steps.size(); s++) waves.push_back({s});
  const std::vector<PlanBuffer> buffers = rt::lifetimes_in_waves(plan, waves);
  const bool known = std::none_of(plan.buffers.begin(), plan.buffers.end(),
                                  [](const PlanBuffer& buffer) { return depends_on_symbols(buffer.bytes); });
  return known ? place_known(plan, buffers) : place_symbolic(buffers, sizes);
}

}  // namespace cppgen::emit
