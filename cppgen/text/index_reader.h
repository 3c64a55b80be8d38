#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/text/reader.h"

namespace cppgen::text {

// The variable of this name. Readers of graphs make symbols of unknown names, those of programs refuse them.
using FindVariable = std::function<ir::IndexExpr(const std::string& name, Place)>;

// A sum of products, with floordiv, mod, min and max: 2*N + floordiv(M + 1, 4). Simplified like any other expression.
ir::IndexExpr read_index(Reader&, const FindVariable&);

// `[` expressions `]`
std::vector<ir::IndexExpr> read_indices(Reader&, const FindVariable&);

// Declarations of the symbols of a text: `symbol N in 1..8 fresh` and `assume N <= 4`.
class SymbolTable {
 public:
  explicit SymbolTable(ir::IndexArena& arena) : arena_(arena) {}
  void read_symbol(Reader&);  // after the word `symbol`
  void read_assumption(Reader&);
  FindVariable finder();
  // From now on, other names than those so far are mistakes.
  void close(const Reader& reader) { closed_ = &reader; }
  // Assumptions hold from the end of the text on, so that expressions are read as they are written.
  void assume_all();

 private:
  ir::IndexArena& arena_;
  std::vector<ir::IndexBound> assumptions_;
  std::set<std::string> names_;     // declared or used
  const Reader* closed_ = nullptr;  // which fails at other names; null: they are symbols
};

}  // namespace cppgen::text
