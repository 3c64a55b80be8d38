#include "cppgen/emit/size_text.h"

#include <fmt/format.h>

#include <limits>

#include "runtime/base/errors.h"

namespace cppgen::emit {

using rt::DimExpr;
using rt::DimOp;

namespace {

const char* function_of(DimOp op) {
  switch (op) {
    case DimOp::add:
      return "add";
    case DimOp::mul:
      return "mul";
    case DimOp::floordiv:
      return "floordiv";
    case DimOp::mod:
      return "mod";
    case DimOp::min:
      return "min";
    case DimOp::max:
      return "max";
    default:
      internal_error("emit: operation {} of a size", int64_t(op));
  }
}

// Calls f with each symbol that occurs.
template <class F>
void each_symbol(const DimExpr& expr, const F& f) {
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op != DimOp::constant && op != DimOp::symbol) continue;
    i++;
    if (op == DimOp::symbol) f(expr.code[i]);
  }
}

}  // namespace

std::string integer_text(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807 - 1)";
  return fmt::format("{}", value);
}

bool depends_on_symbols(const DimExpr& expr) {
  bool depends = false;
  each_symbol(expr, [&](int64_t) { depends = true; });
  return depends;
}

std::string formula_text(const DimExpr& expr, const std::string& symbols, size_t count) {
  std::vector<std::string> stack;
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op == DimOp::constant) {
      stack.push_back(integer_text(expr.code[++i]));
    } else if (op == DimOp::symbol) {
      const int64_t symbol = expr.code[++i];
      stack.push_back(symbol < int64_t(count) ? fmt::format("{}[{}]", symbols, symbol) : "t");
    } else {
      const std::string b = std::move(stack.back());
      stack.pop_back();
      stack.back() = fmt::format("math.{}({}, {})", function_of(op), stack.back(), b);
    }
  }
  return stack.empty() ? "0" : stack[0];
}

bool SizeTable::varies(const DimExpr& expr) const {
  bool varies = false;
  each_symbol(expr, [&](int64_t symbol) { varies |= symbol >= int64_t(plan_.symbols.size()); });
  return varies;
}

SizeText SizeTable::use(const DimExpr& expr) {
  const std::string formula = formula_text(expr, "m.s", plan_.symbols.size());
  if (varies(expr)) return {SizeText::Kind::varying, formula};
  if (depends_on_symbols(expr)) return {SizeText::Kind::bound, bind(formula)};
  const int64_t value = expr.code.empty() ? 0 : rt::evaluate(expr, {});
  return {SizeText::Kind::known, integer_text(value), value};
}

SizeText SizeTable::use_size(const DimExpr& expr) {
  SizeText size = use(expr);
  check(size.value >= 0, "emit: a size of a plan is negative");
  if (size.kind == SizeText::Kind::varying) size.text = fmt::format("math.size({})", size.text);
  if (size.kind == SizeText::Kind::bound) size.text = bind(fmt::format("math.size({})", size.text));
  return size;
}

std::string SizeTable::bind(const std::string& formula) {
  const auto [found, is_new] = known_.try_emplace(formula, formulas_.size());
  if (is_new) formulas_.push_back(formula);
  return fmt::format("m.v[{}]", found->second);
}

std::string SizeTable::statements() const {
  std::string text;
  for (size_t i = 0; i < formulas_.size(); i++) text += fmt::format("  m.v[{}] = {};\n", i, formulas_[i]);
  return text;
}

}  // namespace cppgen::emit
