#pragma once
#include <string>

#include "cppgen/codegen/code.h"
#include "cppgen/codegen/options.h"
#include "cppgen/ir/values/expr.h"

namespace cppgen::codegen {

// The C++ of one operation on named operands. Values of type bool are masks.
Code unary_text(ir::Expr, const Code& a, const Options&);
Code binary_text(ir::Expr, const Code& a, const Code& b);
// Does the same for an operation on numbers, or on masks.
Code binary_text(ir::BinaryOp, bool masks, const Code& a, const Code& b);

// A description of the operation if it is executed lane by lane, because it has no vector form; otherwise "".
std::string lane_operation(ir::Expr);

}  // namespace cppgen::codegen
