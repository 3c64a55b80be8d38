#pragma once
#include <string>

#include "cppgen/ir/expr.h"

namespace cppgen::codegen {

// The C++ of one operation on named operands. Bool values are masks.
std::string unary_text(ir::Expr, const std::string& a);
std::string binary_text(ir::Expr, const std::string& a, const std::string& b);

// What the operation is called if it is done lane by lane, because no vector form of it exists; else "".
std::string lane_operation(ir::Expr);

}  // namespace cppgen::codegen
