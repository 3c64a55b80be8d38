#pragma once
#include <memory>
#include <vector>

#include "cppgen/ops/op.h"
#include "runtime/custom/description.h"

namespace cppgen::custom {

// The operators of graphs (Graph::custom_operators) from descriptions; null if there are none. UserError naming file
// and place of an error.
std::shared_ptr<const ops::CustomOperators> make_operators(const std::vector<rt::CustomFile>&);

}  // namespace cppgen::custom
