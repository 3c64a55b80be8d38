#include "cppgen/flow/reference/reference_model.h"

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"

namespace cppgen {

ReferenceModel::ReferenceModel(const CompileRequest& request)
    : max_memory_(request.settings.max_memory), custom_operators_(custom_operator_paths(request)) {
  StageClock clock(&request);
  CompileRequest frozen = request;  // it runs with the model's weights
  frozen.settings.freezing = true;
  add_parts(read_and_simplify(frozen, clock));
}

ReferenceModel::ReferenceModel(Graph graph, const CompileRequest& request)
    : max_memory_(request.settings.max_memory), custom_operators_(custom_operator_paths(request)) {
  add_parts(std::move(graph));
}

void ReferenceModel::add_parts(Graph whole) {
  ModelGraphs graphs = cut(std::move(whole));
  for (Graph& graph : graphs.graphs) {
    Part part;
    for (ValueId v : graph.inputs) part.input_names.push_back(graph.value(v).name);
    for (ValueId v : graph.outputs) part.output_names.push_back(graph.value(v).name);
    part.program = ops::lower(graph);
    parts_.push_back(std::move(part));
  }
  module_ = std::move(graphs.module);
}

std::vector<ir::HostTensor> ReferenceModel::run(const std::vector<ir::HostTensor>& inputs) const {
  check(!module_, "a model of several programs is run as one");
  return ir::interpret(program(), inputs, {}, {}, max_memory_);
}

}  // namespace cppgen
