#include "cppgen/custom/dims.h"

#include <algorithm>
#include <functional>

#include "cppgen/ops/common.h"
#include "runtime/base/errors.h"

namespace cppgen::custom {
namespace {

using ir::IndexExpr;

bool is_group_name(const std::string& dim) { return dim.ends_with("..."); }
bool is_number(const std::string& dim) {
  return !dim.empty() && dim.find_first_not_of("0123456789") == std::string::npos;
}
std::string group_name(const std::string& dim) { return dim.substr(0, dim.size() - 3); }

// The rules for dimensions of the same name.
struct IndexRules {
  ops::InferContext& c;
  void equal(const std::string& name, IndexExpr a, IndexExpr b) const {
    ops::require_equal(c, a, b, ("dimensions " + name).c_str());
  }
  // A description's loops read a whole dimension or its only element, so one that only a run knows must be equal.
  std::vector<IndexExpr> broadcast(std::vector<IndexExpr> a, std::vector<IndexExpr> b) const {
    for (size_t d = 1; d <= std::min(a.size(), b.size()); d++) {
      IndexExpr &x = *(a.end() - int64_t(d)), &y = *(b.end() - int64_t(d));
      const bool of_a_run = ir::depends_on_fresh_symbols(x) || ir::depends_on_fresh_symbols(y);
      if (of_a_run && !x.is_constant(1) && !y.is_constant(1))
        x = y = ops::require_equal(c, x, y, "dimensions that broadcast");
    }
    return ops::broadcast(c, a, b);
  }
  // Equal ones are one expression from here on.
  void settle(IndexExpr& own, IndexExpr bound) const {
    if (!own.is_constant(1)) own = bound;
  }
};

// The compiler has compared them before.
struct CodeRules {
  ops::InferContext& c;
  void equal(const std::string&, const DimCode&, const DimCode&) const {}
  void settle(DimCode&, const DimCode&) const {}
  std::vector<DimCode> broadcast(const std::vector<DimCode>& a, const std::vector<DimCode>& b) const {
    if (a.size() < b.size()) return broadcast(b, a);
    std::vector<DimCode> all = a;
    const size_t skipped = a.size() - b.size();
    for (size_t d = 0; d < b.size(); d++) all[skipped + d] = custom::broadcast(all[skipped + d], b[d]);
    return all;
  }
};

template <class D, class Rules>
void bind_input(const rt::CustomInput& input, size_t i, Dims<D>& dims, const Rules& rules) {
  const std::vector<D>& own = dims.tensors.at(input.name);
  const auto& shape = *input.shape;
  const bool grouped = std::any_of(shape.begin(), shape.end(), [](const auto& d) { return is_group_name(d.text); });
  if (grouped ? own.size() + 1 < shape.size() : own.size() != shape.size())
    rules.c.fail(fmt::format("input {} ({}) has {} dimensions; {} requires {}{}", i, input.name, own.size(),
                             shape.empty() ? "its description" : shape[0].place, grouped ? "at least " : "",
                             shape.size() - size_t(grouped)));
  size_t at = 0;
  for (const rt::CustomText& dim : shape) {
    if (is_group_name(dim.text)) {
      const size_t count = own.size() + 1 - shape.size();
      const std::vector<D> part(own.begin() + int64_t(at), own.begin() + int64_t(at + count));
      const auto [bound, fresh] = dims.groups.try_emplace(group_name(dim.text), part);
      if (!fresh) bound->second = rules.broadcast(bound->second, part);
      at += count;
      continue;
    }
    const D& found = own[at++];
    if (is_number(dim.text)) {
      rules.equal(fmt::format("{} of input {}", at - 1, input.name), found, D(std::stoll(dim.text)));
      continue;
    }
    const auto [bound, fresh] = dims.names.try_emplace(dim.text, found);
    if (!fresh) rules.equal("'" + dim.text + "'", bound->second, found);
  }
}

// The dimensions of an input become those that its names are bound to.
template <class D, class Rules>
void settle_input(const rt::CustomInput& input, Dims<D>& dims, const Rules& rules) {
  std::vector<D>& own = dims.tensors.at(input.name);
  size_t at = 0;
  for (const rt::CustomText& dim : *input.shape) {
    if (!is_group_name(dim.text)) {
      const auto bound = dims.names.find(dim.text);
      if (bound != dims.names.end()) rules.settle(own[at], bound->second);
      at++;
      continue;
    }
    const std::vector<D>& bound = dims.groups.at(group_name(dim.text));
    const size_t count = own.size() + 1 - input.shape->size(), skipped = bound.size() - count;
    for (size_t d = 0; d < count; d++) rules.settle(own[at++], bound[skipped + d]);
  }
}

template <class D, class Rules>
void bind_all(const rt::CustomDescription& d, Dims<D>& dims, const Rules& rules) {
  for (size_t i = 0; i < d.inputs.size(); i++)
    if (d.inputs[i].shape) bind_input(d.inputs[i], i, dims, rules);
  for (const rt::CustomInput& input : d.inputs)
    if (input.shape) settle_input(input, dims, rules);
}

[[noreturn]] void fail(const Term& term, const std::string& what) { fail_at(*term.source, term.position, what); }

template <class D>
D dim_of_name(const Term& term, const Dims<D>& dims) {
  if (const auto found = dims.names.find(term.name); found != dims.names.end()) return found->second;
  const auto attribute = dims.attributes->find(term.name);
  const int64_t* number = attribute == dims.attributes->end() ? nullptr : std::get_if<int64_t>(&attribute->second);
  if (!number) fail(term, fmt::format("'{}' is neither a named dimension nor an integer attribute", term.name));
  return D(*number);
}

template <class D>
D element_of_list(const Term& term, const Dims<D>& dims) {
  const auto attribute = dims.attributes->find(term.name);
  const auto* list =
      attribute == dims.attributes->end() ? nullptr : std::get_if<std::vector<int64_t>>(&attribute->second);
  if (!list) fail(term, fmt::format("'{}' is not an attribute that is a list of integers", term.name));
  if (term.args.size() != 1 || !term.args[0].whole) fail(term, "an element of an attribute is selected by one number");
  const int64_t at = term.args[0].integer;
  if (at >= int64_t(list->size())) fail(term, fmt::format("'{}' has {} elements here", term.name, list->size()));
  return D((*list)[size_t(at)]);
}

template <class D>
D dimension_of_tensor(const Term& term, const Dims<D>& dims) {
  const auto tensor = dims.tensors.find(term.name);
  if (tensor == dims.tensors.end()) fail(term, fmt::format("there is no input '{}'", term.name));
  const auto rank = int64_t(tensor->second.size()), at = term.integer < 0 ? term.integer + rank : term.integer;
  if (at < 0 || at >= rank) fail(term, fmt::format("'{}' has {} dimensions here", term.name, rank));
  return tensor->second[size_t(at)];
}

template <class D>
D arithmetic(const Term& term, D a, D b) {
  const auto operation = dim_arithmetic(term.operation);
  if (!operation)
    fail(term, term.is(ir::BinaryOp::div) ? "dimensions must be divided by //, which rounds down"
                                          : fmt::format("'{}' does not yield a dimension", term.name));
  switch (*operation) {
    case DimArithmetic::add:
      return a + b;
    case DimArithmetic::sub:
      return a - b;
    case DimArithmetic::mul:
      return a * b;
    case DimArithmetic::floordiv:
      return floordiv(a, b);
    case DimArithmetic::mod:
      return mod(a, b);
    case DimArithmetic::min:
      return min(a, b);
    case DimArithmetic::max:
      return max(a, b);
  }
  fail(term, "this operation on dimensions is not known");
}

template <class D>
D dimension(const Term& term, const Dims<D>& dims) {
  if (term.kind == TermKind::number && term.whole) return D(term.integer);
  if (term.kind == TermKind::name) return dim_of_name(term, dims);
  if (term.kind == TermKind::load) return element_of_list(term, dims);
  if (term.kind == TermKind::dim) return dimension_of_tensor(term, dims);
  if (term.is(ir::UnaryOp::neg) && term.args.size() == 1) return D(int64_t{0}) - dimension(term.args[0], dims);
  if ((term.kind == TermKind::binary || term.kind == TermKind::call) && term.args.size() == 2)
    return arithmetic<D>(term, dimension(term.args[0], dims), dimension(term.args[1], dims));
  fail(term, "this is not a dimension: an expression of +, -, *, //, %, min and max");
}

// broadcast(a, b ...)
template <class D, class Rules>
std::vector<D> broadcast_of(const Term& term, const Dims<D>& dims, const Rules& rules) {
  std::vector<D> all;
  for (const Term& arg : term.args) {
    const auto tensor = dims.tensors.find(arg.name);
    if (arg.kind != TermKind::name || tensor == dims.tensors.end()) fail(arg, "broadcast takes names of inputs");
    all = rules.broadcast(all, tensor->second);
  }
  return all;
}

template <class D, class Rules>
std::vector<D> shape_by(const ops::CustomOperator& op, size_t output, const Dims<D>& dims, const Rules& rules) {
  const std::string& like = op.description().outputs[output].shape_of;
  if (!like.empty()) return dims.tensors.at(like);
  std::vector<D> shape;
  const auto append = [&](const std::vector<D>& part) { shape.insert(shape.end(), part.begin(), part.end()); };
  for (const Term& term : op.shape(output)) {
    if (term.kind == TermKind::group) {
      const auto group = dims.groups.find(term.name);
      if (group == dims.groups.end()) fail(term, fmt::format("no input has dimensions '{}...'", term.name));
      append(group->second);
    } else if (term.is(Own::broadcast)) {
      append(broadcast_of(term, dims, rules));
    } else {
      shape.push_back(dimension(term, dims));
    }
  }
  return shape;
}

}  // namespace

std::optional<DimArithmetic> dim_arithmetic(const Operation& operation) {
  if (operation == Operation(Own::floor_division)) return DimArithmetic::floordiv;
  const auto* op = std::get_if<ir::BinaryOp>(&operation);
  if (!op) return std::nullopt;
  switch (*op) {
    case ir::BinaryOp::add:
      return DimArithmetic::add;
    case ir::BinaryOp::sub:
      return DimArithmetic::sub;
    case ir::BinaryOp::mul:
      return DimArithmetic::mul;
    case ir::BinaryOp::mod_floor:
      return DimArithmetic::mod;
    case ir::BinaryOp::min:
      return DimArithmetic::min;
    case ir::BinaryOp::max:
      return DimArithmetic::max;
    default:
      return std::nullopt;
  }
}

DimCode joined(rt::DimOp op, DimCode a, const DimCode& b) {
  a.expr.code.insert(a.expr.code.end(), b.expr.code.begin(), b.expr.code.end());
  a.expr.code.push_back(int64_t(op));
  return a;
}

DimCode broadcast(const DimCode& a, const DimCode& b) { return max(a, b) * min(min(a, b), DimCode(1)); }

void bind(ops::InferContext& c, const rt::CustomDescription& d, Dims<IndexExpr>& dims) {
  bind_all(d, dims, IndexRules{c});
}
void bind(ops::InferContext& c, const rt::CustomDescription& d, Dims<DimCode>& dims) {
  bind_all(d, dims, CodeRules{c});
}

IndexExpr dim_of(const Term& term, const Dims<IndexExpr>& dims) { return dimension(term, dims); }
DimCode dim_of(const Term& term, const Dims<DimCode>& dims) { return dimension(term, dims); }

std::vector<IndexExpr> shape_of(ops::InferContext& c, const ops::CustomOperator& op, size_t output,
                                const Dims<IndexExpr>& dims) {
  return shape_by(op, output, dims, IndexRules{c});
}
std::vector<DimCode> shape_of(ops::InferContext& c, const ops::CustomOperator& op, size_t output,
                              const Dims<DimCode>& dims) {
  return shape_by(op, output, dims, CodeRules{c});
}

}  // namespace cppgen::custom
