#pragma once
#include <string>

#include "cppgen/codegen/code.h"
#include "cppgen/codegen/options.h"
#include "cppgen/ir/expr.h"

namespace cppgen::codegen {

// The C++ of one operation on named operands. Bool values are masks.
Code unary_text(ir::Expr, const Code& a, const Options&);
Code binary_text(ir::Expr, const Code& a, const Code& b);
// Of any operands, or of masks.
Code binary_text(ir::BinaryOp, bool masks, const Code& a, const Code& b);

// What the operation is called if it is done lane by lane, because no vector form of it exists; else "".
std::string lane_operation(ir::Expr);

}  // namespace cppgen::codegen
