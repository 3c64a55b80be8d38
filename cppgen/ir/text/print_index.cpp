#include <algorithm>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/text/exact_text.h"

namespace cppgen::ir {

namespace {

// "3" and "N" of 3*N; "" and what is printed of a constant.
struct Term {
  std::string what;
  int64_t coefficient;
};

void append_term(std::string& text, const Term& term) {
  const bool negative = term.coefficient < 0;
  if (text.empty())
    text += negative ? "-" : "";
  else
    text += negative ? " - " : " + ";
  const std::string digits = std::to_string(term.coefficient).substr(negative ? 1 : 0);
  if (term.what.empty())
    text += digits;
  else
    text += digits == "1" ? term.what : digits + "*" + term.what;
}

// `exact`: names are quoted unless they are plain, operands are in alphabetical order and not in that of creation.
class IndexPrinter {
 public:
  explicit IndexPrinter(bool exact) : exact_(exact) {}

  std::string text_of(IndexExpr e) const {
    if (e.is_constant()) return std::to_string(e.constant());
    const IndexNode& node = *e.node();
    switch (node.op) {
      case IndexOp::variable:
        return exact_ ? exact_name(node.name) : node.name;
      case IndexOp::sum:
        return sum(node);
      case IndexOp::product:
        return joined(operands(node), "*");
      case IndexOp::floordiv:
        return call("floordiv", node);
      case IndexOp::mod:
        return call("mod", node);
      case IndexOp::min:
        return call("min", node);
      case IndexOp::max:
        return call("max", node);
    }
    return {};
  }

 private:
  bool exact_;

  std::string sum(const IndexNode& node) const {
    std::vector<Term> terms;
    for (const IndexTerm& t : node.terms) terms.push_back({text_of(IndexExpr(t.node)), t.coefficient});
    if (exact_) std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.what < b.what; });
    std::string text;
    for (const Term& t : terms) append_term(text, t);
    if (node.constant != 0) append_term(text, {"", node.constant});
    return text;
  }

  std::vector<std::string> operands(const IndexNode& node) const {
    std::vector<std::string> texts;
    for (IndexExpr e : node.args) texts.push_back(text_of(e));
    const bool in_any_order = node.op != IndexOp::floordiv && node.op != IndexOp::mod;
    if (exact_ && in_any_order) std::sort(texts.begin(), texts.end());
    return texts;
  }

  static std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
  }

  std::string call(const char* name, const IndexNode& node) const {
    return std::string(name) + "(" + joined(operands(node), ", ") + ")";
  }
};

}  // namespace

std::string to_string(const IndexBound& bound) { return to_string(bound.least) + " <= " + to_string(bound.most); }

std::string to_string(IndexExpr e) { return IndexPrinter(false).text_of(e); }

std::string exact_text(IndexExpr e) { return IndexPrinter(true).text_of(e); }

}  // namespace cppgen::ir
