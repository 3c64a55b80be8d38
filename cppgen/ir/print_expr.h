#pragma once
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppgen/ir/expr.h"

namespace cppgen::ir {

// Prints values; operations that are used more than once get a name, t0, t1 ..., and a line of their own.
class ExprPrinter {
 public:
  explicit ExprPrinter(std::span<const Expr> roots);
  std::string print(Expr);                // may add to lines()
  std::vector<std::string> take_lines();  // "t0 = ...", of what was printed since the last call

 private:
  std::unordered_map<Expr, int> uses_;
  std::unordered_map<Expr, std::string> names_;
  std::vector<std::string> lines_;

  std::string text_of(Expr);
  std::string call(std::string_view name, Expr);
  std::string load(Expr);
};

std::string print_indices(const std::vector<IndexExpr>&);                 // "[i0, 3]"
std::string print_indirects(const std::vector<Indirect>&, ExprPrinter&);  // " where at0 = ..." or nothing
std::string quoted(const std::string&);  // in double quotes, with everything but printable ASCII escaped

}  // namespace cppgen::ir
