#include "cppgen/package/exchanged.h"

#include <map>
#include <set>

namespace cppgen::package {
namespace {

constexpr int64_t kTenths = 10;  // the unit of these costs

bool is_constant(const ir::Buffer& buffer) { return buffer.kind == ir::BufferKind::constant; }

}  // namespace

ir::IndexExpr ExchangedBytes::bytes(ir::BufferId b) const {
  const ir::Buffer& buffer = program_.buffer(b);
  return ir::product(buffer.shape) * int64_t(size_of(buffer.type));
}

// `columns`: whether the threads that wrote it divided columns.
int64_t ExchangedBytes::tenths_read(const Step& step, ir::BufferId b, bool columns) const {
  if (step.reads_parts_of_rows) return costs_.attended;
  if (b == step.read_by_all) return costs_.read_by_all;
  return columns == step.divides_columns() ? costs_.read_along : costs_.read_across;
}

std::vector<ir::IndexExpr> ExchangedBytes::of_steps() const {
  std::set<ir::BufferId> read_by_all;
  for (const Step& step : steps_)
    if (step.divides_columns()) read_by_all.insert(step.read_by_all);
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
        tenths = tenths + bytes(b) * costs_.written_for_all;
      else if (program_.buffer(b).kind == ir::BufferKind::temporary)
        tenths = tenths + bytes(b) * costs_.written;
    }
    all.push_back(ir::ceildiv(tenths, kTenths));
  }
  return all;
}

}  // namespace cppgen::package
