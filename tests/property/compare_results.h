#pragma once
#include <string>

#include "cppgen/ir/interpreter/interpreter.h"
#include "runtime/values/tensor.h"
#include "tests/property/random_graph.h"

namespace cppgen::property {

// "" if the tensors agree: floats within the fact's error (NaN agrees with NaN), others exactly.
std::string difference(const ir::HostTensor& expected, const rt::Tensor& actual, const Fact&);

}  // namespace cppgen::property
