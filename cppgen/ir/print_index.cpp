#include "cppgen/ir/index_expr.h"
#include "cppgen/ir/polynomial.h"

namespace cppgen::ir {

namespace {

std::string call(const char* name, const std::vector<IndexExpr>& args) {
  std::string text = std::string(name) + "(";
  for (size_t i = 0; i < args.size(); i++) text += (i ? ", " : "") + to_string(args[i]);
  return text + ")";
}

void append_term(std::string& text, int64_t coefficient, const std::string& what) {
  const bool negative = coefficient < 0;
  if (text.empty())
    text += negative ? "-" : "";
  else
    text += negative ? " - " : " + ";
  const std::string digits = std::to_string(coefficient).substr(negative ? 1 : 0);
  if (what.empty())
    text += digits;
  else
    text += digits == "1" ? what : digits + "*" + what;
}

std::string print_sum(const IndexNode& sum) {
  std::string text;
  for (const IndexTerm& t : sum.terms) append_term(text, t.coefficient, to_string(IndexExpr(t.node)));
  if (sum.constant != 0) append_term(text, sum.constant, "");
  return text;
}

std::string print_product(const IndexNode& product) {
  std::string text;
  for (IndexExpr factor : product.args) text += (text.empty() ? "" : "*") + to_string(factor);
  return text;
}

}  // namespace

std::string to_string(const IndexBound& bound) { return to_string(bound.least) + " <= " + to_string(bound.most); }

std::string to_string(IndexExpr e) {
  if (e.is_constant()) return std::to_string(e.constant());
  const IndexNode& node = *e.node();
  switch (node.op) {
    case IndexOp::variable:
      return node.name;
    case IndexOp::sum:
      return print_sum(node);
    case IndexOp::product:
      return print_product(node);
    case IndexOp::floordiv:
      return call("floordiv", node.args);
    case IndexOp::mod:
      return call("mod", node.args);
    case IndexOp::min:
      return call("min", node.args);
    case IndexOp::max:
      return call("max", node.args);
  }
  return {};
}

}  // namespace cppgen::ir
