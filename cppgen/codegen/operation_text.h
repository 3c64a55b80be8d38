#pragma once
#include <string>

#include "cppgen/ir/expr.h"

namespace cppgen::codegen {

// The C++ of one operation on named operands. Bool values are masks.
std::string unary_text(ir::Expr, const std::string& a);
std::string binary_text(ir::Expr, const std::string& a, const std::string& b);

}  // namespace cppgen::codegen
