// Elements of tensors, and their indices.
#include <algorithm>

#include "cppgen/custom/lowering.h"

namespace cppgen::custom {

using ir::IndexExpr;
using ops::Scalar;

std::optional<IndexExpr> Lowering::index_of(const Term& term, const Scope& scope) const {
  Dims<IndexExpr> with_variables = dims_;
  for (const auto& [name, variable] : scope)
    if (!variable.group) with_variables.names.insert_or_assign(name, variable.at[0]);
  if (!is_index(term, with_variables)) return std::nullopt;
  return dim_of(term, with_variables);
}

bool Lowering::is_index(const Term& term, const Dims<IndexExpr>& dims) const {
  switch (term.kind) {
    case TermKind::number:
      return term.whole;
    case TermKind::dim:
      return true;
    case TermKind::name: {
      const auto attribute = attributes_.find(term.name);
      return dims.names.count(term.name) ||
             (attribute != attributes_.end() && std::holds_alternative<int64_t>(attribute->second));
    }
    case TermKind::load:
      return attributes_.count(term.name) > 0;
    case TermKind::unary:
    case TermKind::call:
    case TermKind::binary:
      return (term.is(ir::UnaryOp::neg) || dim_arithmetic(term.operation)) &&
             std::all_of(term.args.begin(), term.args.end(), [&](const Term& arg) { return is_index(arg, dims); });
    default:
      return false;
  }
}

bool Lowering::add_group(const Term& term, const Scope& scope, const Shape& dims, size_t count,
                         std::vector<IndexExpr>& at) {
  const auto variable = scope.find(term.name);
  if (variable == scope.end() || !variable->second.group)
    rules_.fail(term, fmt::format("'{}' is not a group of variables", term.name));
  const Variable& v = variable->second;
  if (count > v.at.size())
    rules_.fail(term,
                fmt::format("'{}...' is {} dimensions, but the tensor has {} there", term.name, v.at.size(), count));
  const size_t skipped = v.at.size() - count;
  bool guarded = false;
  for (size_t d = 0; d < count; d++) {
    const IndexExpr extent = v.extents[skipped + d], dim = dims[at.size()];
    const bool equal = ir::prove_equal(dim, extent);
    if (!equal && !dim.is_constant(1) && !ir::depends_on_fresh_symbols(dim) && !ir::depends_on_fresh_symbols(extent))
      rules_.fail(term, fmt::format("a dimension of {} is read along one of {}; if the two are equal, give them the "
                                    "same name in the inputs' shapes, or use the shape broadcast(a, b)",
                                    ir::to_string(dim), ir::to_string(extent)));
    at.push_back(!equal && dim.is_constant(1) ? IndexExpr() : v.at[skipped + d]);
    guarded |= !equal && !dim.is_constant(1);
  }
  return guarded;
}

Item Lowering::load(const Term& term, const Scope& scope, const Item* otherwise) {
  TensorOf& tensor = tensors_.at(term.name);
  if (tensor.buffer < 0) tensor.buffer = c_.input_buffer(tensor.input);
  const ir::BufferId buffer = tensor.buffer;
  const Shape shape = dims_.tensors.at(term.name);
  const auto groups = size_t(
      std::count_if(term.args.begin(), term.args.end(), [](const Term& a) { return a.kind == TermKind::group; }));
  if (groups > 1) rules_.fail(term, "at most one '...' is allowed between the brackets");
  if (groups ? shape.size() + 1 < term.args.size() : shape.size() != term.args.size())
    rules_.fail(term, fmt::format("'{}' has {} dimensions here but is read with {} indices", term.name, shape.size(),
                                  term.args.size()));
  std::vector<IndexExpr> at;
  std::vector<ops::Gathered> gathered;
  bool guarded = false;
  for (const Term& arg : term.args) {
    if (arg.kind == TermKind::group) {
      guarded |= add_group(arg, scope, shape, shape.size() + 1 - term.args.size(), at);
    } else if (const auto index = index_of(arg, scope)) {
      if (!otherwise) require_inside(arg, *index, shape[at.size()], term.name, at.size());
      at.push_back(*index);
    } else {
      gathered.push_back({int(at.size()), position(arg, scope, otherwise)});
      at.emplace_back();
    }
  }
  const DType type = ir::value_type(c_.program().buffer(buffer).type);
  if (gathered.empty() && otherwise)
    return Item::of(ops::load_inside(c_, buffer, at, rules_.typed(term, *otherwise, type)));
  if (gathered.empty())
    return Item::of(guarded ? ops::load_inside(c_, buffer, at, ops::number(c_, type, 0)) : ops::load(c_, buffer, at));
  if (guarded)
    rules_.fail(term, "indices that are values cannot be combined with dimensions that are known only at run time");
  return Item::of(ops::load_gathered(c_, buffer, at, gathered));
}

Scalar Lowering::position(const Term& term, const Scope& scope, const Item* otherwise) {
  if (otherwise) rules_.fail(term, "inside takes indices made of variables, dimensions and numbers");
  const Scalar value = rules_.value(term, evaluate(term, scope));
  if (!is_int(value.type())) rules_.fail(term, fmt::format("an index is {}, not an integer", name_of(value.type())));
  return value;
}

void Lowering::require_inside(const Term& term, IndexExpr index, IndexExpr extent, const std::string& tensor,
                              size_t d) const {
  if (ir::prove_less_equal(0, index) && ir::prove_less(index, extent)) return;
  rules_.fail(
      term,
      fmt::format("index {} of '{}' is {}, which may be outside its {} elements; inside({}[...], 0) gives 0 there", d,
                  tensor, ir::to_string(index), ir::to_string(extent), tensor));
}

}  // namespace cppgen::custom
