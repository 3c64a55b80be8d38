#pragma once
#include <string>

#include "cppgen/ir/interpreter/interpreter.h"
#include "runtime/values/tensor.h"
#include "tests/differential/row.h"

namespace cppgen::differential {

// "" if the tensors agree as the row asks for, else what differs.
std::string disagreement(const Agreement&, const ir::HostTensor& expected, const rt::Tensor& actual);

}  // namespace cppgen::differential
