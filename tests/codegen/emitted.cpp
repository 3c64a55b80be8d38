#include "tests/codegen/emitted.h"

#include "cppgen/flow/compile/stages.h"
#include "cppgen/forms/forms.h"
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

GraphMaker transposed() {
  GraphMaker g;
  g.output(g.node("Relu", {g.node("Transpose", {g.input("x", {40, 24})})}));
  return g;
}

// A constant of so many different numbers.
ValueId weights(GraphMaker& g, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) values.push_back(double(i % 13 - 6) / 8);
  return g.floats(dims, values);
}

GraphMaker convolution(int64_t channels, int64_t filters, int64_t side, int64_t groups) {
  GraphMaker g;
  const ValueId x = g.input("x", {1, channels, side, side}), w = weights(g, {filters, channels / groups, 3, 3});
  g.output(g.node("Conv", {x, w}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"group", groups}}));
  return g;
}
GraphMaker windows() { return convolution(16, 16, 10, 16); }
GraphMaker winograd() { return convolution(32, 32, 28, 1); }
GraphMaker winograd_inputs() { return convolution(144, 144, 14, 1); }
GraphMaker winograd_groups() { return convolution(64, 64, 28, 2); }

GraphMaker product(int64_t K) {
  GraphMaker g;
  g.output(g.node("Relu", {g.node("MatMul", {g.input("x", {g.symbol("N"), K}), weights(g, {K, 24})})}));
  return g;
}
GraphMaker tiles() { return product(2000); }
GraphMaker register_tiles() { return product(32); }

GraphMaker finished_tiles() {
  GraphMaker g;
  const ValueId sums = g.node("MatMul", {g.input("x", {20, 64}), weights(g, {64, 40})});
  g.output(g.node("Relu", {g.node("Add", {g.node("Add", {sums, weights(g, {40})}), g.input("residual", {20, 40})})}));
  return g;
}

GraphMaker matrix_in_place() {
  GraphMaker g;
  g.output(g.node("MatMul", {g.input("x", {20, 32}), g.input("y", {32, 40})}));
  return g;
}

GraphMaker computed_rows() {
  GraphMaker g;
  const ValueId scaled = g.node("Mul", {g.input("x", {g.symbol("N"), 100}), g.input("factors", {100})});
  g.output(g.node("Tanh", {g.node("MatMul", {scaled, weights(g, {100, 24})})}));
  return g;
}

GraphMaker attention() {
  GraphMaker g;
  const ValueId scores = g.node("MatMul", {g.input("query", {2, 32, 16}), g.input("keys", {2, 16, 32})});
  g.output(g.node("MatMul", {g.node("Softmax", {scores}), g.input("values", {2, 32, 16})}));
  return g;
}

}  // namespace

std::vector<KernelText> emitted(GraphMaker& g, const VecISA& isa, const Options& options,
                                const MachineDescription& machine) {
  auto target = target_of(isa, machine);
  schedule::Options scheduling;
  const auto schedule = schedule::make_schedule(ops::lower(g.g), scheduling, target);
  return forms::emit_kernels(schedule, target, options);
}

std::string body_of(const KernelText& k) {
  const size_t open = k.function.find("{\n"), close = k.function.rfind('}');
  return k.function.substr(open + 2, close - open - 2);
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{{"pointwise", pointwise},
                                       {"symbolic_broadcast", symbolic_broadcast},
                                       {"row_sum", row_sum},
                                       {"column_max", column_max},
                                       {"softmax", softmax},
                                       {"checked_gather", checked_gather},
                                       {"transposed", transposed},
                                       {"windows", windows},
                                       {"winograd", winograd},
                                       {"winograd_inputs", winograd_inputs},
                                       {"winograd_groups", winograd_groups},
                                       {"tiles", tiles},
                                       {"register_tiles", register_tiles},
                                       {"finished_tiles", finished_tiles},
                                       {"matrix_in_place", matrix_in_place},
                                       {"computed_rows", computed_rows},
                                       {"attention", attention}};
  return all;
}

}  // namespace cppgen::codegen
