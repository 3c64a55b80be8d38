#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "cppgen/baseline/layout.h"
#include "cppgen/contenders/onednn_graph.h"
#include "runtime/session/session.h"

namespace cppgen::baseline {

using BufferId = int;

// Memory that steps read and write. One of: an input or output of the caller, a constant, or memory of ours, which is
// shared by buffers that live at different times.
struct Buffer {
  size_t bytes = 0;
  int input = -1, output = -1;             // position in the graph's inputs or outputs
  const void* constant = nullptr;          // read only
  std::shared_ptr<const void> keep_alive;  // of the constant
  BufferId in_place_of = -1;               // reuses the memory of a buffer that is not read again
  int first = -1, last = -1;               // steps that use it

  bool is_temporary() const { return input < 0 && output < 0 && !constant; }
};

// A tensor in a buffer. Tensors that are not float32 are treated as bytes, as are empty tensors and those of very many
// dimensions: only our kernels read and write them.
struct Operand {
  Desc desc;  // its own offset is 0
  BufferId buffer = -1;
  int64_t offset = 0;  // bytes
};

enum class StepKind { primitive, reorder, kernels, copy };

struct KernelTensor {
  ValueId value;
  DType type;
  std::vector<int64_t> dims;
  Operand at;
};

struct Step {
  StepKind kind = StepKind::primitive;
  contenders::StepReport report;
  dnnl::primitive primitive;
  std::vector<std::pair<int, Operand>> arguments;  // of a primitive or reorder: DNNL_ARG_...; of a copy: 0 from, 1 to
  std::vector<NodeId> group;                       // of kernels
  std::unique_ptr<rt::Session> session;            // that runs the group
  std::vector<KernelTensor> inputs, outputs;       // of the session
};

// A graph that is ready to run: a sequence of steps.
struct Program {
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  size_t scratch_bytes = 0;

  // The buffer whose memory this one uses.
  BufferId storage_of(BufferId) const;
};

// Memory for all temporary buffers: result[b] is where storage b begins, null for others. Also finds their first and
// last steps.
struct Arena {
  std::vector<char*> at;
  std::vector<std::shared_ptr<void>> blocks;
};
Arena place_buffers(Program&);

std::shared_ptr<void> aligned_memory(size_t bytes);

}  // namespace cppgen::baseline
