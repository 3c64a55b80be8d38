#include "cppgen/driver/compiler.h"
#include "cppgen/driver/stages.h"
#include "cppgen/ops/op.h"

namespace cppgen {

ReferenceModel::ReferenceModel(const CompileRequest& request) {
  StageClock clock;
  Graph graph = read_and_simplify(request, clock);
  for (ValueId v : graph.inputs) input_names_.push_back(graph.value(v).name);
  for (ValueId v : graph.outputs) output_names_.push_back(graph.value(v).name);
  program_ = ops::lower(graph);
}

std::vector<ir::HostTensor> ReferenceModel::run(const std::vector<ir::HostTensor>& inputs) const {
  return ir::interpret(program_, inputs);
}

}  // namespace cppgen
