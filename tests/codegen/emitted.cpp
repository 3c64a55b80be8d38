#include "tests/codegen/emitted.h"

#include "cppgen/flow/compile/stages.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen::codegen {
namespace {

GraphMaker pointwise() {
  GraphMaker g;
  ValueId x = g.input("x", {1000});
  g.output(g.node("Relu", {g.node("Add", {x, g.input("y", {1000})})}));
  return g;
}

GraphMaker symbolic_broadcast() {
  GraphMaker g;
  g.output(g.node("Mul", {g.input("x", {g.symbol("N"), 24}), g.input("scale", {24})}));
  return g;
}

GraphMaker row_sum() {
  GraphMaker g;
  g.output(g.node("ReduceSum", {g.input("x", {10, 300}), g.ints({1})}));
  return g;
}

GraphMaker column_max() {
  GraphMaker g;
  g.output(
      g.node("ReduceMax", {g.input("x", {300, 24})}, {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}}));
  return g;
}

GraphMaker softmax() {
  GraphMaker g;
  g.output(g.node("Softmax", {g.input("x", {10, 300})}));
  return g;
}

GraphMaker checked_gather() {
  GraphMaker g;
  g.output(g.node("Gather", {g.input("table", {50, 16}), g.input("index", {7}, DType::i64)}));
  return g;
}

}  // namespace

std::vector<KernelText> emitted(GraphMaker& g, const VecISA& isa, const Options& options,
                                const MachineDescription& machine) {
  auto target = target_of(isa, machine);
  schedule::Options scheduling;
  const auto schedule = schedule::make_schedule(ops::lower(g.g), scheduling, target);
  return emit_kernels(schedule, target, options);
}

std::string body_of(const KernelText& k) {
  const size_t open = k.function.find("{\n"), close = k.function.rfind('}');
  return k.function.substr(open + 2, close - open - 2);
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{{"pointwise", pointwise}, {"symbolic_broadcast", symbolic_broadcast},
                                       {"row_sum", row_sum},     {"column_max", column_max},
                                       {"softmax", softmax},     {"checked_gather", checked_gather}};
  return all;
}

}  // namespace cppgen::codegen
