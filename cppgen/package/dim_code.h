#pragma once
#include <map>
#include <string>

#include "cppgen/ir/index/index_expr.h"
#include "runtime/plan/plan.h"

namespace cppgen::package {

// Turns index expressions over dimension symbols into the plan's flat code.
class DimCoder {
 public:
  explicit DimCoder(std::map<std::string, int64_t> symbols) : symbols_(std::move(symbols)) {}
  // UserError naming the symbol if the expression has one that no input binds.
  rt::DimExpr code(ir::IndexExpr) const;

 private:
  std::map<std::string, int64_t> symbols_;  // name -> index in Plan::symbols
  void append(ir::IndexExpr, rt::DimExpr&) const;
  void append_node(const ir::IndexNode*, rt::DimExpr&) const;
};

}  // namespace cppgen::package
