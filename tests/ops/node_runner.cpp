#include "tests/ops/node_runner.h"

#include "runtime/base/errors.h"

namespace cppgen::ops_test {

HostTensor ramp(std::vector<int64_t> dims, int64_t modulus, double scale) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(double((i * 7) % modulus - modulus / 2) * scale));
  return tensor<float>(std::move(dims), values);
}

Graph graph_of(const NodeCase& c) {
  Graph g;
  auto flag = [](const std::vector<bool>& flags, size_t i) { return i < flags.size() && flags[i]; };
  std::vector<ValueId> in, out;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (flag(c.absent, i)) {
      in.push_back(kNoValue);
    } else if (flag(c.constant, i)) {
      const HostTensor& t = c.inputs[i];
      in.push_back(g.add_constant("c" + std::to_string(i), make_tensor(t.type, t.dims, t.bytes)));
    } else {
      in.push_back(g.add_value("x" + std::to_string(i)));
      const HostTensor& t = c.inputs[i];
      g.value(in.back()).type = TensorType{t.type, Shape(t.dims.begin(), t.dims.end())};
      g.inputs.push_back(in.back());
    }
  }
  for (int i = 0; i < c.outputs; ++i) out.push_back(g.add_value("y" + std::to_string(i)));
  Node& node = g.add_node(c.op, in, out, c.opset);
  node.domain = c.domain;
  node.attributes = c.attributes, node.facts = c.facts;
  g.outputs = out;
  return g;
}

ir::Program program_of(Graph& g) {
  ops::check_supported(g);
  ops::infer_types(g);
  verify(g);
  ir::Program p = ops::lower(g);
  ir::verify(p);
  return p;
}

std::vector<HostTensor> run(const NodeCase& c) {
  Graph g = graph_of(c);
  ir::Program p = program_of(g);
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    bool passed = !(i < c.constant.size() && c.constant[i]) && !(i < c.absent.size() && c.absent[i]);
    if (passed) inputs.push_back(c.inputs[i]);
  }
  return ir::interpret(p, inputs);
}

std::string error_of(const NodeCase& c) {
  try {
    Graph g = graph_of(c);
    program_of(g);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace cppgen::ops_test
