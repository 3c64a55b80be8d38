#include "cppgen/ir/text/print_expr.h"

#include <fmt/format.h>

#include "cppgen/ir/text/exact_text.h"

namespace cppgen::ir {

ExprPrinter::ExprPrinter(std::span<const Expr> roots, bool exact) : exact_(exact) {
  for (Expr root : roots) uses_[root]++;
  for (Expr e : postorder(roots)) {
    for (Expr a : e->args) uses_[a]++;
    for (const Indirect& i : e->indirects) uses_[i.value]++;
  }
}

std::string ExprPrinter::print(Expr e) {
  const bool leaf = e->kind == ExprKind::constant || e->kind == ExprKind::index || e->kind == ExprKind::accumulator;
  if (leaf || uses_[e] < 2) return text_of(e);
  const auto named = names_.find(e);
  if (named != names_.end()) return named->second;
  const std::string text = text_of(e);
  const std::string name = fmt::format("t{}", names_.size());
  names_.emplace(e, name);
  lines_.push_back(name + " = " + text);
  return name;
}

std::vector<std::string> ExprPrinter::take_lines() {
  std::vector<std::string> lines;
  lines.swap(lines_);
  return lines;
}

namespace {

std::string with_point(std::string digits) {
  return digits.find_first_of(".enif") == std::string::npos ? digits + ".0" : digits;
}

// float32 and int64 plainly, true and false, other types by name: float64(1.5).
std::string print_constant(Expr e) {
  if (e->type == DType::f32) return with_point(fmt::format("{}", static_cast<float>(e->float_value())));
  if (e->type == DType::i64) return fmt::format("{}", e->int_value());
  if (e->type == DType::boolean) return e->int_value() ? "true" : "false";
  if (e->type == DType::f64) return fmt::format("float64({})", with_point(fmt::format("{}", e->float_value())));
  if (e->type == DType::u64) return fmt::format("uint64({})", e->bits);
  return fmt::format("{}({})", name_of(e->type), e->int_value());
}

}  // namespace

std::string ExprPrinter::constant(Expr e) const {
  if (exact_ && e->type == DType::f32) return exact_number(static_cast<float>(e->float_value()));
  if (exact_ && e->type == DType::f64) return fmt::format("float64({})", exact_number(e->float_value()));
  return print_constant(e);
}

std::string ExprPrinter::text_of(Expr e) {
  switch (e->kind) {
    case ExprKind::constant:
      return constant(e);
    case ExprKind::load:
      return load(e);
    case ExprKind::index:
      return fmt::format("index({})", print(e->indices[0]));
    case ExprKind::unary:
      return call(name_of(e->unary), e);
    case ExprKind::binary:
      return call(name_of(e->binary), e);
    case ExprKind::select:
      return call("select", e);
    case ExprKind::cast:
      return call(name_of(e->type), e);
    case ExprKind::accumulator:
      return fmt::format("acc{}", e->accumulator);
  }
  return {};
}

std::string ExprPrinter::call(std::string_view name, Expr e) {
  std::string text = std::string(name) + "(";
  for (size_t i = 0; i < e->args.size(); i++) text += (i ? ", " : "") + print(e->args[i]);
  return text + ")";
}

std::string ExprPrinter::load(Expr e) {
  std::string text = exact_ ? print(e->indirects) : "";
  text += fmt::format("b{}{}", e->buffer, print(e->indices));
  if (!exact_) text += print(e->indirects);
  for (size_t i = 0; i < e->guards.size(); i++) {
    const Guard& g = e->guards[i];
    text += fmt::format("{}{} <= {} < {}", i ? " and " : " if ", print(g.lo), print(g.index), print(g.hi));
  }
  if (!e->guards.empty()) text += " else " + print(e->args[0]);
  return e->guards.empty() && e->indirects.empty() ? text : "(" + text + ")";
}

std::string ExprPrinter::print(IndexExpr e) const { return exact_ ? exact_text(e) : to_string(e); }

std::string ExprPrinter::print(const std::vector<IndexExpr>& indices) const {
  std::string text = "[";
  for (size_t i = 0; i < indices.size(); i++) text += (i ? ", " : "") + print(indices[i]);
  return text + "]";
}

std::string ExprPrinter::binding(const Indirect& i) const {
  if (!exact_) return i.variable->name;
  const std::string& purpose = i.variable->purpose;
  return fmt::format("{} < {}{}", exact_name(i.variable->name), print(i.variable->extent),
                     purpose.empty() ? "" : " for " + quoted(purpose));
}

std::string ExprPrinter::print(const std::vector<Indirect>& indirects) {
  std::string text;
  for (const Indirect& i : indirects)
    text += fmt::format("{}{} = {}", !text.empty() ? ", " : exact_ ? "let " : " where ", binding(i), print(i.value));
  return text.empty() || !exact_ ? text : text + " in ";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c < 0x20 || c > 0x7e) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string to_string(Expr e) {
  ExprPrinter printer({&e, 1});
  const std::string last = printer.print(e);
  std::string text;
  for (const std::string& line : printer.take_lines()) text += line + "; ";
  return text + last;
}

}  // namespace cppgen::ir
