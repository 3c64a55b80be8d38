#include "cppgen/forms/contraction/writer.h"

#include "cppgen/kernel/view.h"

namespace cppgen::forms {

ValueEmitter ContractionWriter::contraction_epilogue(EpilogueOrder order) {
  const schedule::Segment& epilogue = kernel_.segments[0];
  const ir::IndexNode* const column = kernel_.contraction->columns.var.node();
  std::vector<const ir::IndexNode*> variables;
  for (const ir::Loop& l : epilogue.loops) variables.push_back(l.var.node());
  variables.insert(order == EpilogueOrder::rows ? variables.end() : variables.begin(), column);
  ValueEmitter e(context_, variables, column, "n");
  e.align_lanes(view_.target.lanes);
  e.bind_accumulator(0, "sum", int(variables.size()));
  e.store(epilogue.stores);
  return e;
}

}  // namespace cppgen::forms
