#include "cppgen/baseline/program.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace cppgen::baseline {
namespace {

struct Block {
  size_t bytes;
  char* at;
};

template <class F>
void for_each_buffer(const Step& step, F&& action) {
  for (const auto& [name, operand] : step.arguments)
    if (operand.buffer >= 0) action(operand.buffer);  // the scratchpad has none
  for (const KernelTensor& tensor : step.inputs) action(tensor.at.buffer);
  for (const KernelTensor& tensor : step.outputs) action(tensor.at.buffer);
}

void find_lifetimes(Program& program) {
  for (size_t s = 0; s < program.steps.size(); s++)
    for_each_buffer(program.steps[s], [&](BufferId id) {
      Buffer& buffer = program.buffers[size_t(program.storage_of(id))];
      if (buffer.first < 0) buffer.first = int(s);
      buffer.last = int(s);
    });
}

// The smallest free block that is large enough, or a new one.
Block take(std::vector<Block>& free, size_t bytes, Arena& arena) {
  auto best = free.end();
  for (auto it = free.begin(); it != free.end(); ++it)
    if (it->bytes >= bytes && (best == free.end() || it->bytes < best->bytes)) best = it;
  if (best == free.end()) {
    arena.blocks.push_back(aligned_memory(bytes));
    return {bytes, static_cast<char*>(arena.blocks.back().get())};
  }
  const Block block = *best;
  free.erase(best);
  return block;
}

}  // namespace

BufferId Program::storage_of(BufferId id) const {
  while (buffers[size_t(id)].in_place_of >= 0) id = buffers[size_t(id)].in_place_of;
  return id;
}

std::shared_ptr<void> aligned_memory(size_t bytes) {
  constexpr size_t kPage = 4096, kHugePage = size_t{1} << 21;
  const size_t alignment = bytes >= kHugePage ? kHugePage : kPage;
  const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (!memory) throw std::bad_alloc();
  if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);  // packed weights are read with large strides
  return {memory, std::free};
}

Arena place_buffers(Program& program) {
  find_lifetimes(program);
  Arena arena;
  arena.at.resize(program.buffers.size());
  std::vector<Block> free;
  std::vector<Block> blocks(program.buffers.size());
  for (size_t s = 0; s < program.steps.size(); s++) {
    for (size_t b = 0; b < program.buffers.size(); b++) {
      const Buffer& buffer = program.buffers[b];
      if (buffer.first != int(s) || !buffer.is_temporary()) continue;
      blocks[b] = take(free, buffer.bytes, arena);
      arena.at[b] = blocks[b].at;
    }
    for (size_t b = 0; b < program.buffers.size(); b++)
      if (program.buffers[b].last == int(s) && blocks[b].at) free.push_back(blocks[b]);
  }
  return arena;
}

}  // namespace cppgen::baseline
