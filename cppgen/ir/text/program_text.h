#pragma once
#include <limits>
#include <set>
#include <string>

#include "cppgen/ir/program/program.h"
#include "cppgen/ir/text/print_expr.h"

namespace cppgen::ir {

// Programs as text, which cppgen/text reads back (docs/ir.md). Constants of more than `most_bytes` are `elided`, so
// that a text with such constants is only for people.
std::string program_text(const Program&, size_t most_bytes = std::numeric_limits<size_t>::max());

// Parts of it, which texts of schedules have, too: `i0 < N`; `sum float32(value)`; `b0[i0] = value`. The printer has
// the lines that precede a part (take_lines).
std::string loop_text(const Loop&);
std::string reduction_text(ExprPrinter&, const Reduction&);
std::string store_text(ExprPrinter&, const Store&);

// Lines that declare the symbols whose use alone does not: `symbol N in 1..8`, `symbol "rows#0" fresh`.
class SymbolLines {
 public:
  void see(IndexExpr);
  void see(const std::vector<IndexExpr>& all) {
    for (IndexExpr e : all) see(e);
  }
  // Those of what has been seen, in this order, and of the arena's assumptions.
  std::string lines(const IndexArena&);

 private:
  std::string text_;
  std::set<std::string> seen_;
};

}  // namespace cppgen::ir
