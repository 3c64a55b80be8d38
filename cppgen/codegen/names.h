#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "cppgen/codegen/code.h"
#include "cppgen/ir/program.h"

namespace cppgen::codegen {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;

// C++ type of an element in memory ("float", "vec::f16" ...), and of a value in a vector ("float", "vec::i64" ...).
std::string_view storage_type(DType);
std::string_view lane_type(DType);

// A float or integer constant of the lane type as C++ text, exact.
std::string literal(DType, Expr constant);

// Names of index variables in emitted code.
class IndexNames {
 public:
  void set(const ir::IndexNode* variable, Code name) { names_[variable] = std::move(name); }
  bool has(const ir::IndexNode* variable) const { return names_.count(variable) != 0; }
  // The expression as C++ over vec::i64; InternalError for a variable without a name.
  Code text(IndexExpr) const;
  // The same as an operand of a product: in parentheses, if it needs them.
  Code factor(IndexExpr) const;

 private:
  std::unordered_map<const ir::IndexNode*, Code> names_;
  Code node_text(const ir::IndexNode*, int precedence) const;
  Code text_at(IndexExpr, int precedence) const;
};

}  // namespace cppgen::codegen
