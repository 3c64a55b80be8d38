#include "cppgen/package/exchanged.h"

#include <map>
#include <set>

namespace cppgen::package {
namespace {

// Tenths of what is accessed, fitted to the kernels of eleven networks (bench/predictions.py). A line is exchanged when
// it is read after another thread has written it, and when it is written after another thread has read it.
constexpr int64_t kTenths = 10;
constexpr int64_t kReadAcross = 3;     // of what was written by threads that divided it otherwise
constexpr int64_t kReadAlong = 2;      // of what was written by threads that divided it in the same way
constexpr int64_t kAttended = 8;       // in short parts, whose latency counts
constexpr int64_t kWritten = 3;        // to memory that other tensors had before
constexpr int64_t kWrittenForAll = 8;  // to memory that all threads read

bool is_constant(const ir::Buffer& buffer) { return buffer.kind == ir::BufferKind::constant; }

// `columns`: whether the threads that wrote it divided columns.
int64_t tenths_read(const ExchangedBytes::Step& step, ir::BufferId b, bool columns) {
  if (step.attends) return kAttended;
  if (b == step.left) return kTenthsReadByAll;
  return columns == step.divides_columns() ? kReadAlong : kReadAcross;
}

}  // namespace

ir::IndexExpr ExchangedBytes::bytes(ir::BufferId b) const {
  const ir::Buffer& buffer = program_.buffer(b);
  return ir::product(buffer.shape) * int64_t(size_of(buffer.type));
}

std::vector<ir::IndexExpr> ExchangedBytes::of_steps() const {
  std::set<ir::BufferId> read_by_all;
  for (const Step& step : steps_)
    if (step.divides_columns()) read_by_all.insert(step.left);
  std::map<ir::BufferId, bool> columns_written;
  std::vector<ir::IndexExpr> all;
  for (const Step& step : steps_) {
    ir::IndexExpr tenths = 0;
    for (const ir::BufferId b : std::set<ir::BufferId>(step.inputs.begin(), step.inputs.end())) {
      const auto written = columns_written.find(b);
      if (is_constant(program_.buffer(b)) || written == columns_written.end()) continue;
      tenths = tenths + bytes(b) * tenths_read(step, b, written->second);
    }
    for (const ir::BufferId b : std::set<ir::BufferId>(step.outputs.begin(), step.outputs.end())) {
      columns_written[b] = step.divides_columns();
      if (read_by_all.contains(b))
        tenths = tenths + bytes(b) * kWrittenForAll;
      else if (program_.buffer(b).kind == ir::BufferKind::temporary)
        tenths = tenths + bytes(b) * kWritten;
    }
    all.push_back(ir::ceildiv(tenths, kTenths));
  }
  return all;
}

}  // namespace cppgen::package
