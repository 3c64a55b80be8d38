#pragma once
#include "cppgen/ops/common.h"

namespace cppgen::ops {

// x times the probability that a standard normal variable is below x; `tanh`: the usual approximation of it.
Scalar gelu_of(Scalar x, bool tanh_approximation);

}  // namespace cppgen::ops
