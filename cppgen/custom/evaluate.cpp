// Values of terms.
#include "cppgen/custom/lowering.h"

namespace cppgen::custom {

Item Lowering::evaluate(const Term& term, const Scope& scope) {
  switch (term.kind) {
    case TermKind::number:
      return term.whole ? Item::of(term.integer) : Item::of(term.number);
    case TermKind::text:
      rules_.fail(term, "a string can only be compared with a string attribute");
    case TermKind::name:
      return named(term, scope);
    case TermKind::group:
      rules_.fail(term, fmt::format("'{}...' is allowed only between the brackets of a tensor", term.name));
    case TermKind::dim:
      return Item::of(ops::index_value(c_, dim_of(term, dims_)));
    case TermKind::load:
      return tensors_.count(term.name) ? load(term, scope, nullptr) : element_of_attribute(term);
    case TermKind::call:
      return call(term, scope);
    case TermKind::unary:
      return rules_.unary(term, evaluate(term.args[0], scope));
    case TermKind::binary:
      if (const auto truth = compared_texts(term)) return Item::of(*truth);
      break;
    case TermKind::reduction:
      return reduced_before(term, scope);
  }
  const Item left = evaluate(term.args[0], scope);
  return rules_.binary(term, left, evaluate(term.args[1], scope));
}

Item Lowering::named(const Term& term, const Scope& scope) {
  if (const auto variable = scope.find(term.name); variable != scope.end()) {
    if (variable->second.group) rules_.fail(term, fmt::format("'{}...' is not a single number", term.name));
    return Item::of(ops::index_value(c_, variable->second.at[0]));
  }
  if (const auto dim = dims_.names.find(term.name); dim != dims_.names.end())
    return Item::of(ops::index_value(c_, dim->second));
  if (tensors_.count(term.name)) return load(term, scope, nullptr);
  const rt::CustomValue& value = attributes_.at(term.name);
  if (const auto* integer = std::get_if<int64_t>(&value)) return Item::of(*integer);
  if (const auto* number = std::get_if<float>(&value)) return Item::of(double(*number));
  rules_.fail(term, fmt::format("attribute '{}' is not a number", term.name));
}

Item Lowering::element_of_attribute(const Term& term) {
  const auto& value = attributes_.at(term.name);
  if (std::holds_alternative<std::vector<int64_t>>(value)) {
    const IndexExpr element = dim_of(term, dims_);
    return Item::of(element.constant());
  }
  const auto* numbers = std::get_if<std::vector<float>>(&value);
  if (!numbers || term.args.size() != 1 || !term.args[0].whole || term.args[0].integer >= int64_t(numbers->size()))
    rules_.fail(term, fmt::format("attribute '{}' has no such element", term.name));
  return Item::of(double((*numbers)[size_t(term.args[0].integer)]));
}

std::optional<std::string> Lowering::text_of(const Term& term) const {
  if (term.kind == TermKind::text) return term.name;
  const auto attribute = term.kind == TermKind::name ? attributes_.find(term.name) : attributes_.end();
  const auto* text = attribute == attributes_.end() ? nullptr : std::get_if<std::string>(&attribute->second);
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<bool> Lowering::compared_texts(const Term& term) const {
  if (!term.is(ir::BinaryOp::eq) && !term.is(ir::BinaryOp::ne)) return std::nullopt;
  const auto left = text_of(term.args[0]), right = text_of(term.args[1]);
  if (!left || !right) return std::nullopt;
  return (*left == *right) == term.is(ir::BinaryOp::eq);
}

Item Lowering::call(const Term& term, const Scope& scope) {
  if (term.is(Own::inside)) {
    const Item otherwise = evaluate(term.args[1], scope);
    if (!tensors_.count(term.args[0].name)) rules_.fail(term, "inside takes an element of a tensor");
    return load(term.args[0], scope, &otherwise);
  }
  const Item first = evaluate(term.args[0], scope);
  if (term.is(Own::cast)) return rules_.cast(term, first, type_named(term.args[1]));
  if (term.args.size() == 1) return rules_.unary(term, first);
  const Item second = evaluate(term.args[1], scope);
  if (term.args.size() == 2) return rules_.binary(term, first, second);
  return rules_.where(term, first, second, evaluate(term.args[2], scope));
}

DType Lowering::type_named(const Term& term) const {
  if (const auto type = dtype_from_name(term.name)) return *type;
  const auto tensor = tensors_.find(term.name);
  if (tensor == tensors_.end())
    rules_.fail(term, fmt::format("'{}' is neither an element type nor a tensor", term.name));
  return tensor->second.storage;
}

}  // namespace cppgen::custom
