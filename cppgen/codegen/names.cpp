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
constexpr int kSum = 1, kProduct = 2, kAtom = 3;

Code wrap(Code text, bool needed) { return needed ? "(" + text + ")" : text; }
}  // namespace

Code IndexNames::text(IndexExpr e) const { return text_at(e, 0); }
Code IndexNames::factor(IndexExpr e) const { return text_at(e, kAtom); }

Code IndexNames::text_at(IndexExpr e, int precedence) const {
  if (e.is_constant()) return wrap(code("{}", e.constant()), e.constant() < 0 && precedence > 0);
  return node_text(e.node(), precedence);
}

Code IndexNames::node_text(const IndexNode* n, int precedence) const {
  switch (n->op) {
    case IndexOp::variable: {
      auto it = names_.find(n);
      if (it == names_.end()) internal_error("codegen: index variable {} has no name here", n->name);
      return it->second;
    }
    case IndexOp::sum: {
      Code out;
      for (const auto& t : n->terms) {
        int64_t c = t.coefficient;
        if (!out.empty())
          out += c < 0 ? " - " : " + ";
        else if (c < 0)
          out += "-";
        int64_t magnitude = c < 0 ? -c : c;
        out += node_text(t.node, kProduct);
        if (magnitude != 1) out += code(" * {}", magnitude);
      }
      if (n->constant) out += code(" {} {}", n->constant < 0 ? '-' : '+', n->constant < 0 ? -n->constant : n->constant);
      return wrap(out, precedence >= kSum);
    }
    case IndexOp::product: {
      Code out;
      for (const auto& a : n->args) out += code("{}{}", out.empty() ? "" : " * ", text_at(a, kProduct));
      return wrap(out, precedence >= kAtom);
    }
    case IndexOp::floordiv:
    case IndexOp::mod: {
      bool div = n->op == IndexOp::floordiv;
      if (n->args[0].range().lo >= 0)
        return code("({} {} {})", text_at(n->args[0], kAtom), div ? "/" : "%", text_at(n->args[1], kAtom));
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
