#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

// Prints values; operations that are used more than once get a name, t0, t1 ..., and a line of their own. `exact`: for
// texts that are read back (exact_text.h), with extents and purposes of indirect variables.
class ExprPrinter {
 public:
  explicit ExprPrinter(std::span<const Expr> roots, bool exact = false);
  std::string print(Expr);  // may add to lines()
  std::string print(IndexExpr) const;
  std::string print(const std::vector<IndexExpr>&) const;  // "[i0, 3]"
  // " where at0 = ..."; exact: "let at0 < N = ... in ", which precedes what uses the variables. "" for none.
  std::string print(const std::vector<Indirect>&);
  std::vector<std::string> take_lines();  // "t0 = ...", of what was printed since the last call

 private:
  std::unordered_map<Expr, int> uses_;
  std::unordered_map<Expr, std::string> names_;
  std::vector<std::string> lines_;
  bool exact_;

  std::string constant(Expr) const;
  std::string binding(const Indirect&) const;
  std::string text_of(Expr);
  std::string call(std::string_view name, Expr);
  std::string load(Expr);
};

std::string quoted(const std::string&);  // in double quotes, with everything but printable ASCII escaped

}  // namespace cppgen::ir
