#include "cppgen/baseline/build.h"

#include "cppgen/baseline/builder.h"
#include "cppgen/baseline/openmp_executor.h"
#include "cppgen/baseline/patterns.h"
#include "cppgen/baseline/primitives.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::baseline {
namespace {

// Shape arithmetic with a known result needs no work at run time.
void fold_known_contents(Graph& graph) {
  for (size_t i = 0; i < graph.values.size(); i++) {
    const Value& value = graph.values[i];
    if (value.constant || value.producer < 0 || !value.contents || !value.type || value.type->dtype != DType::i64)
      continue;
    std::vector<int64_t> elements;
    for (const IndexExpr& element : *value.contents)
      if (element.is_constant()) elements.push_back(element.constant());
    if (elements.size() != value.contents->size()) continue;
    Tensor tensor = make_ints(elements);
    tensor.dims.clear();
    for (const IndexExpr& extent : value.type->shape) tensor.dims.push_back(extent.constant());
    passes::make_constant(graph, ValueId(i), std::move(tensor));
  }
  passes::eliminate_dead_code(graph);
}

void require_bound(const Graph& graph) {
  for (const Value& value : graph.values) {
    check(value.type.has_value(), "OnednnGraph: a value has no type");
    for (const IndexExpr& extent : value.type->shape)
      if (!extent.is_constant())
        user_error("--against onednn requires sizes for all dimensions: {} is {}; give sizes with --dim NAME=N",
                   quoted(value.name), to_string(value.type->shape));
  }
}

// One try: false if some unit was refused, which `choices` then say.
class Attempt {
 public:
  Attempt(Graph& graph, const dnnl::engine& engine, Choices& choices)
      : graph_(graph), choices_(choices), builder_(graph, engine) {}

  bool succeeds() {
    for (const Unit& unit : plan_units(graph_, choices_)) add(unit);
    if (refused_) return false;
    for (size_t i = 0; i < graph_.outputs.size(); i++) builder_.add_output(int(i), graph_.outputs[i]);
    return true;
  }

  Program take() { return builder_.take(); }

 private:
  void add(const Unit& unit) {
    if (unit.ours) return builder_.add_kernels(unit);
    try {
      find_mapping(graph_, builder_.node(unit.nodes[0]))(builder_, unit);
    } catch (const Refusal& refusal) {
      refuse(unit, refusal.why);
    } catch (const dnnl::error& error) {
      refuse(unit, error.what());
    }
  }

  void refuse(const Unit& unit, const std::string& why) {
    const Node& node = builder_.node(unit.nodes[0]);
    log_info("oneDNN does not support {} {} with {} post-operations: {}", node.op, quoted(node.name),
             unit.nodes.size() - 1, why);
    (unit.nodes.size() > 1 ? choices_.alone : choices_.refused).insert(node.id);
    refused_ = true;
    for (NodeId id : unit.nodes)  // something to go on with
      for (ValueId out : builder_.node(id).outputs)
        if (out != kNoValue) builder_.set(out, builder_.raw(out));
  }

  Graph& graph_;
  Choices& choices_;
  Builder builder_;
  bool refused_ = false;
};

// The nodes of a step of kernels as a graph of their own, its inputs and outputs in the step's order.
Graph group_graph(const Graph& graph, const Step& step) {
  Graph group = graph;
  group.inputs.clear(), group.outputs.clear();
  for (const KernelTensor& in : step.inputs) group.inputs.push_back(in.value);
  for (const KernelTensor& out : step.outputs) group.outputs.push_back(out.value);
  std::vector<bool> keep(graph.nodes.size());
  for (NodeId id : step.group) keep[size_t(id)] = true;
  passes::compact(group, keep);
  return group;
}

}  // namespace

Program build_program(Graph& graph, int threads, const dnnl::engine& engine, const contenders::CompileGroup& compile) {
  require_bound(graph);
  fold_known_contents(graph);
  recognize_patterns(graph);
  Choices choices;
  while (true) {
    Attempt attempt(graph, engine, choices);
    if (!attempt.succeeds()) continue;
    Program program = attempt.take();
    for (Step& step : program.steps)
      if (step.kind == StepKind::kernels)
        step.session = compile(group_graph(graph, step), make_openmp_executor(threads));
    return program;
  }
}

}  // namespace cppgen::baseline
