#include "cppgen/codegen/names.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::IndexNode;
using ir::IndexOp;

std::string_view storage_type(DType type) { return dtype_row(type).emitted; }

std::string_view lane_type(DType type) {
  return type == DType::boolean ? "vec::M" : storage_type(ir::value_type(type));
}

static std::string float_literal(double value, bool single) {
  const char* suffix = single ? "f" : "";
  if (std::isnan(value)) return fmt::format("__builtin_nan{}(\"\")", suffix);
  if (std::isinf(value)) return fmt::format("{}__builtin_inf{}()", value < 0 ? "-" : "", suffix);
  if (value == std::floor(value) && std::fabs(value) < 1e6 && !(value == 0 && std::signbit(value)))
    return fmt::format("{}.0{}", int64_t(value), suffix);
  return fmt::format("{:a}{}", value, suffix);
}

std::string literal(DType type, Expr constant) {
  if (is_float(type)) return float_literal(constant->float_value(), type != DType::f64);
  if (type == DType::boolean) return constant->int_value() ? "vec::first_n(vec::L)" : "vec::first_n(0)";
  if (type == DType::u64) return fmt::format("{}ul", uint64_t(constant->bits));
  int64_t v = constant->int_value();
  if (v == INT64_MIN) return "(-0x7fffffffffffffffl - 1)";
  return fmt::format("{}{}", v, v > INT32_MAX || v <= INT32_MIN ? "l" : "");
}

namespace {
// These say how strongly the operator around an operand binds: `-`, `*`, or one next to which only names and numbers
// need no parentheses.
constexpr int kSum = 1, kProduct = 2, kAtom = 3;

Code wrap(Code text, bool needed) { return needed ? "(" + text + ")" : text; }
}  // namespace

Code IndexNames::text(IndexExpr e) const { return text_at(known(e), 0); }
Code IndexNames::factor(IndexExpr e) const { return text_at(known(e), kAtom); }
Code IndexNames::at_least(IndexExpr e, IndexExpr limit) const { return compared(known(e), ">=", known(limit)); }
Code IndexNames::less(IndexExpr e, IndexExpr limit) const { return compared(known(e), "<", known(limit)); }

// Moves the constant term to the right side.
Code IndexNames::compared(IndexExpr e, const char* comparison, IndexExpr limit) const {
  if (!e.is_constant() && e.node()->op == IndexOp::sum && limit.is_constant()) {
    const int64_t number = e.node()->constant;
    e = e - number, limit = limit - number;
  }
  return code("{} {} {}", text_at(e, 0), comparison, text_at(limit, 0));
}

Code IndexNames::text_at(IndexExpr e, int precedence) const {
  if (e.is_constant()) return wrap(Code(e.constant()), e.constant() < 0 && precedence > 0);
  return node_text(e.node(), precedence);
}

// Positive terms come first.
Code IndexNames::sum_text(const IndexNode* n) const {
  Code out;
  const auto add = [&](bool negative, const Code& text) {
    if (out.empty())
      out = negative ? negated(text) : text;
    else
      out += (negative ? " - " : " + ") + text;
  };
  const auto add_terms = [&](bool negative) {
    for (const auto& t : n->terms)
      if ((t.coefficient < 0) == negative) {
        const int64_t magnitude = negative ? -t.coefficient : t.coefficient;
        const int place = magnitude != 1 ? kProduct : negative ? kSum : 0;
        add(negative, times(node_text(t.node, negative && out.empty() ? kAtom : place), magnitude));
      }
  };
  add_terms(false);
  const bool number_first = out.empty() && n->constant > 0;
  if (number_first) add(false, Code(n->constant));
  add_terms(true);
  if (n->constant != 0 && !number_first) add(n->constant < 0, Code(n->constant < 0 ? -n->constant : n->constant));
  return out;
}

Code IndexNames::node_text(const IndexNode* n, int precedence) const {
  switch (n->op) {
    case IndexOp::variable: {
      auto it = names_.find(n);
      if (it == names_.end()) internal_error("codegen: index variable {} has no name here", n->name);
      return wrap(it->second.text, it->second.sum && precedence >= kSum);
    }
    case IndexOp::sum:
      return wrap(sum_text(n), precedence >= kSum);
    case IndexOp::product: {
      Code out;
      for (const auto& a : n->args) out += code("{}{}", out.empty() ? "" : " * ", text_at(a, kProduct));
      return wrap(out, precedence >= kAtom);
    }
    case IndexOp::floordiv:
    case IndexOp::mod: {
      bool div = n->op == IndexOp::floordiv;
      if (n->args[0].range().lo >= 0)
        return wrap(code("{} {} {}", text_at(n->args[0], kAtom), div ? "/" : "%", text_at(n->args[1], kAtom)),
                    precedence >= kProduct);
      return code("vec::{}({}, {})", div ? "floor_div" : "floor_mod", text(n->args[0]), text(n->args[1]));
    }
    case IndexOp::min:
    case IndexOp::max: {
      Code out = text(n->args[0]);
      for (size_t i = 1; i < n->args.size(); i++)
        out = code("vec::{}({}, {})", n->op == IndexOp::min ? "imin" : "imax", out, text(n->args[i]));
      return out;
    }
  }
  internal_error("codegen: unknown index operation");
}

}  // namespace cppgen::codegen
