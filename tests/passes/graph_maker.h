#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/ops/op.h"

namespace cppgen {

// Graphs for tests of passes: values are named, types inferred.
struct GraphMaker {
  Graph g;
  int opset;

  explicit GraphMaker(int opset = 17) : opset(opset) { g.opsets[""] = opset; }

  IndexExpr symbol(const std::string& name) { return g.index->symbol(name); }
  ValueId input(const std::string& name, Shape shape, DType type = DType::f32) {
    ValueId v = g.add_value(name);
    g.value(v).type = TensorType{type, std::move(shape)};
    g.inputs.push_back(v);
    return v;
  }
  ValueId floats(std::vector<int64_t> dims, std::vector<double> values, DType type = DType::f32) {
    return g.add_constant("c" + std::to_string(g.values.size()), make_floats(type, std::move(dims), values));
  }
  ValueId ints(std::vector<int64_t> values) {
    return g.add_constant("i" + std::to_string(g.values.size()), make_ints(values));
  }
  // One output; typed at once.
  ValueId node(const std::string& op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes = {}) {
    ValueId out = g.add_value(op + std::to_string(g.nodes.size()));
    Node& n = g.add_node(op, std::move(inputs), {out}, opset);
    n.attributes = std::move(attributes);
    ops::infer_node(g, n.id);
    return out;
  }
  GraphMaker& output(ValueId v) {
    g.outputs.push_back(v);
    return *this;
  }
};

inline std::vector<std::string> op_names(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& n : g.nodes) names.push_back(n.op);
  return names;
}
using Ops = std::vector<std::string>;

// Values that are different, and the same each time.
inline ir::HostTensor sample(DType type, std::vector<int64_t> dims, uint32_t seed = 1) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(double(seed >> 8) / (1 << 23) - 1);
  }
  Tensor t = make_floats(type, dims, values);
  ir::HostTensor host{type, dims, std::vector<std::byte>(t.data.size)};
  if (t.data.size) std::memcpy(host.bytes.data(), t.data.bytes, t.data.size);
  return host;
}

// The graph's meaning for one sample per input; symbols are 5.
inline std::vector<ir::HostTensor> run(Graph& g) {
  std::vector<ir::HostTensor> inputs;
  for (ValueId in : g.inputs) {
    std::vector<int64_t> dims;
    for (const IndexExpr& d : g.value(in).type->shape) dims.push_back(d.is_constant() ? d.constant() : 5);
    inputs.push_back(sample(g.value(in).type->dtype, dims, uint32_t(inputs.size() + 1)));
  }
  return ir::interpret(ops::lower(g), inputs);
}

inline void expect_same_bits(const std::vector<ir::HostTensor>& a, const std::vector<ir::HostTensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); i++) {
    EXPECT_EQ(a[i].dims, b[i].dims);
    EXPECT_EQ(a[i].bytes, b[i].bytes);
  }
}

}  // namespace cppgen
