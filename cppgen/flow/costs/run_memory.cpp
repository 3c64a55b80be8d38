#include "cppgen/flow/costs/run_memory.h"

#include <algorithm>

#include "runtime/memory/planner.h"

namespace cppgen {
namespace {

int64_t scratch_of_thread(const rt::Plan& plan, std::span<const int64_t> symbols) {
  std::vector<int64_t> values(symbols.begin(), symbols.end());
  values.resize(plan.symbols.size() + plan.repetitions.size());  // the first times
  int64_t most = 0;
  for (const rt::Step& step : plan.steps)
    if (!step.scratch_bytes.code.empty()) most = std::max(most, rt::evaluate(step.scratch_bytes, values));
  return (most + rt::kBufferAlignment - 1) / rt::kBufferAlignment * rt::kBufferAlignment;
}

int64_t bytes_of(const std::vector<rt::TensorInfo>& tensors, const std::vector<int64_t>& sizes) {
  int64_t bytes = 0;
  for (const rt::TensorInfo& tensor : tensors) {
    if (tensor.kind != ValueKind::tensor) continue;
    int64_t elements = 1;
    for (const rt::DimExpr& dim : tensor.dims)
      if (dim.code.size() == 2) {
        const bool constant = dim.code[0] == int64_t(rt::DimOp::constant);
        const auto symbol = size_t(dim.code[1]);
        elements *= constant ? dim.code[1] : symbol < sizes.size() ? sizes[symbol] : 1;
      }
    bytes += elements * int64_t(size_of(tensor.type));
  }
  return bytes;
}

}  // namespace

void RunMemory::add(const rt::Plan& plan, const PlanCosts& costs, std::span<const int64_t> symbols, int threads) {
  int64_t own_inputs = 0, own_outputs = 0;
  for (size_t b = 0; b < plan.buffers.size(); b++) {
    if (plan.buffers[b].kind == rt::PlanBufferKind::input) own_inputs += costs.sizes[b];
    const bool apart = costs.offsets[b] < 0;  // not in the arena
    if (plan.buffers[b].kind == rt::PlanBufferKind::output && apart) own_outputs += costs.sizes[b];
  }
  inputs += own_inputs, outputs += own_outputs;
  weights += costs.weights_bytes;
  arenas += costs.arena_bytes;
  scratch += scratch_of_thread(plan, symbols) * threads;
}

void RunMemory::take_arguments_of(const rt::Plan& outline, const rt::NamedSizes& named) {
  std::vector<int64_t> sizes;
  for (const rt::Symbol& symbol : outline.symbols) {
    const auto size = named.find(symbol.name);
    sizes.push_back(size == named.end() ? 1 : size->second);
  }
  const int64_t results = outputs;
  inputs = bytes_of(outline.inputs, sizes), outputs = bytes_of(outline.outputs, sizes);
  arenas += std::max<int64_t>(0, results - outputs);
}

}  // namespace cppgen
