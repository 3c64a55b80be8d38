#pragma once
#include "tests/passes/graph_maker.h"
#include "tests/property/expect_cases.h"

namespace cppgen::property {

// ONNX's number of a type.
inline int64_t onnx_number(DType type) {
  constexpr int64_t kNumbers[] = {1, 11, 10, 16, 3, 5, 6, 7, 2, 4, 12, 13, 9, 17, 18, 19, 20, 22, 21, 26, 25, 23, 24};
  static_assert(std::size(kNumbers) == kDTypeCount);
  return kNumbers[size_t(type)];
}

// Compiled results have the bits of the interpreter's. Inputs are of this range, floats hold special values, too.
inline Case exact_case(GraphMaker g, InputRange range) {
  Case c = case_of(std::move(g.g), {range.hi, 0});
  for (ValueId in : c.random.graph.inputs) c.random.ranges[c.random.graph.value(in).name] = range;
  c.random.special_values = true;
  return c;
}

}  // namespace cppgen::property
