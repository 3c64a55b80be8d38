#include "cppgen/ir/program/program.h"

#include "runtime/base/errors.h"

namespace cppgen::ir {

BufferId Program::add_buffer(std::string name, DType type, std::vector<IndexExpr> shape, BufferKind kind,
                             ConstantData data) {
  const auto id = static_cast<BufferId>(buffers.size());
  buffers.push_back({id, std::move(name), type, std::move(shape), kind, std::move(data)});
  return id;
}

const Buffer& Program::buffer(BufferId id) const {
  if (id < 0 || static_cast<size_t>(id) >= buffers.size())
    internal_error("there is no buffer {}: the program has {}", id, buffers.size());
  return buffers[id];
}

IndexExpr points(const std::vector<Loop>& loops) {
  IndexExpr n = 1;
  for (const Loop& l : loops) n = n * l.extent;
  return n;
}

}  // namespace cppgen::ir
