#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "cppgen/codegen/code.h"
#include "cppgen/ir/program/program.h"

namespace cppgen::codegen {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;

// The C++ type of an element in memory ("float", "vec::f16" ...), and of a value in a vector ("float", "vec::i64" ...).
std::string_view storage_type(DType);
std::string_view lane_type(DType);

// A constant of the lane type as exact C++ text.
std::string literal(DType, Expr constant);

// Names of index variables in emitted code.
class IndexNames {
 public:
  void set(const ir::IndexNode* variable, Code name) { set(variable, {std::move(name), false}); }
  void set_sum(const ir::IndexNode* variable, Code sum) { set(variable, {std::move(sum), true}); }
  void set_zero(const ir::IndexNode* variable) { zeros_[variable] = 0; }
  bool has(const ir::IndexNode* variable) const { return names_.count(variable) != 0; }
  // The expression as C++ over vec::i64; InternalError for a variable without a name.
  Code text(IndexExpr) const;
  // Returns the text in parentheses, if it needs them as an operand of a product.
  Code factor(IndexExpr) const;
  Code at_least(IndexExpr, IndexExpr limit) const;  // a condition
  Code less(IndexExpr, IndexExpr limit) const;

 private:
  struct Name {
    Code text;
    bool sum;
  };
  std::unordered_map<const ir::IndexNode*, Name> names_;
  ir::IndexMap zeros_;
  void set(const ir::IndexNode* variable, Name name) { names_[variable] = std::move(name), zeros_.erase(variable); }
  IndexExpr known(IndexExpr e) const { return zeros_.empty() ? e : ir::substitute(e, zeros_); }
  Code sum_text(const ir::IndexNode*) const;
  Code compared(IndexExpr, const char* comparison, IndexExpr limit) const;
  Code node_text(const ir::IndexNode*, int precedence) const;
  Code text_at(IndexExpr, int precedence) const;
};

}  // namespace cppgen::codegen
