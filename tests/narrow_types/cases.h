#pragma once
#include "tests/passes/graph_maker.h"
#include "tests/property/expect_cases.h"

namespace cppgen::property {

inline int64_t onnx_number(DType type) { return dtype_row(type).onnx; }

template <class Accept>
std::vector<DType> types_that(Accept accept) {
  std::vector<DType> types;
  for (int i = 0; i < kDTypeCount; i++)
    if (accept(DType(i))) types.push_back(DType(i));
  return types;
}

// Compiled results have the bits of the interpreter's. Inputs are of this range, floats hold special values, too.
inline Case exact_case(GraphMaker g, InputRange range) {
  Case c = case_of(std::move(g.g), {range.hi, 0});
  for (ValueId in : c.random.graph.inputs) c.random.ranges[c.random.graph.value(in).name] = range;
  c.random.special_values = true;
  return c;
}

}  // namespace cppgen::property
