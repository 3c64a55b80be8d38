#pragma once
#include "tests/ops/node_runner.h"
#include "tests/property/expect_cases.h"

namespace cppgen::ops_test {

// One node; its compiled results may differ from the interpreter's by `error`.
inline property::Case compiled_case(const NodeCase& node, double error = 0) {
  Graph g = graph_of(node);
  ops::infer_types(g);
  return property::case_of(std::move(g), property::Fact{1, error});
}

// Inputs of a compiled case are drawn: this input from [lo, hi].
inline property::Case with_range(property::Case c, const std::string& input, double lo, double hi) {
  c.random.ranges[input] = {lo, hi};
  return c;
}

}  // namespace cppgen::ops_test
