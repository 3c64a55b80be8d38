// Statements become loop nests.
#include <algorithm>

#include "cppgen/custom/lowering.h"
#include "cppgen/ir/values/op_table.h"

namespace cppgen::custom {
namespace {

using ir::IndexExpr;
using ops::Scalar;

}  // namespace

Lowering::Lowering(ops::LowerContext& c, const ops::CustomOperator& op)
    : c_(c), rules_(c), op_(op), d_(op.description()), attributes_(attributes_of(c, d_)) {
  dims_.attributes = &attributes_;
  for (size_t i = 0; i < d_.inputs.size(); i++) {
    dims_.tensors[d_.inputs[i].name] = c.shape(int(i));
    tensors_[d_.inputs[i].name] = {.input = int(i), .buffer = -1, .storage = c.dtype(int(i))};
  }
  bind(c, d_, dims_);
}

void Lowering::run() {
  for (const Statement& s : op_.statements()) lower(s);
}

std::optional<int> Lowering::output_named(const std::string& name) const {
  for (size_t o = 0; o < d_.outputs.size(); o++)
    if (d_.outputs[o].name == name) return int(o);
  return std::nullopt;
}

void Lowering::lower(const Statement& s) {
  const std::optional<int> output = output_named(s.target);
  Scope scope;
  Shape shape = output ? scope_of_output(s, *output, scope) : scope_of_temporary(s, scope);
  std::vector<std::string> names;
  for (const Axis& axis : s.axes) names.push_back(axis.name);
  const bool stored = output && c_.has_output(*output);
  TensorOf target;
  if (stored) target = {.input = -1, .buffer = c_.output_buffer(*output), .storage = c_.output(*output).dtype};
  if (s.value.kind == TermKind::reduction) {
    const TensorOf made = reduce(s.value, names, scope, stored ? std::optional(target) : std::nullopt);
    return define(s.target, made, std::move(shape));
  }
  ir::LoopNest nest;
  Scope inner;
  const std::vector<IndexExpr> at = enter(names, scope, nest, inner);
  const Item item = evaluate(s.value, inner);
  if (!stored) target = temporary(rules_.value(s.value, item).type(), shape);
  nest.stores.push_back({target.buffer, at, rules_.typed(s.value, item, ir::value_type(target.storage))});
  c_.emit(std::move(nest));
  define(s.target, target, std::move(shape));
}

void Lowering::define(const std::string& name, const TensorOf& tensor, Shape shape) {
  tensors_[name] = tensor;
  dims_.tensors[name] = std::move(shape);
}

Lowering::TensorOf Lowering::temporary(DType type, Shape shape) {
  return {.input = -1, .buffer = c_.temporary(type, std::move(shape)), .storage = type};
}

void Lowering::fail(const rt::CustomText& source, size_t position, const std::string& what) const {
  c_.fail(fmt::format("{}: {}", place_of(source, position), what));
}

Shape Lowering::scope_of_output(const Statement& s, int output, Scope& scope) const {
  const Shape shape = shape_of(c_, op_, size_t(output), dims_);
  const auto groups = size_t(std::count_if(s.axes.begin(), s.axes.end(), [](const Axis& a) { return a.group; }));
  if (groups > 1) fail(*s.source, s.position, "an output may be stored with at most one '...'");
  if (groups ? shape.size() + 1 < s.axes.size() : shape.size() != s.axes.size())
    fail(*s.source, s.position,
         fmt::format("'{}' has {} dimensions here but is stored with {} indices", s.target, shape.size(),
                     s.axes.size()));
  auto next = shape.begin();
  for (const Axis& axis : s.axes) {
    const size_t count = axis.group ? shape.size() + 1 - s.axes.size() : 1;
    scope[axis.name] = {.group = axis.group, .extents = Shape(next, next + int64_t(count)), .at = {}};
    next += int64_t(count);
  }
  return shape;
}

Shape Lowering::extent_of(const Axis& axis) const {
  const Term& extent = axis.extent[0];
  if (!axis.group) return {dim_of(extent, dims_)};
  if (extent.kind == TermKind::group) return dims_.groups.at(extent.name);
  return dims_.tensors.at(extent.name);
}

Shape Lowering::scope_of_temporary(const Statement& s, Scope& scope) const {
  Shape shape;
  for (const Axis& axis : s.axes) {
    const Shape extents = extent_of(axis);
    scope[axis.name] = {.group = axis.group, .extents = extents, .at = {}};
    shape.insert(shape.end(), extents.begin(), extents.end());
  }
  return shape;
}

std::vector<IndexExpr> Lowering::enter(const std::vector<std::string>& names, const Scope& around, ir::LoopNest& nest,
                                       Scope& inner) {
  std::vector<IndexExpr> all;
  for (const std::string& name : names) {
    const Variable& outer = around.at(name);
    const std::vector<ir::Loop> loops = c_.loops(outer.extents);
    Variable own{.group = outer.group, .extents = outer.extents, .at = ops::LowerContext::indices(loops)};
    nest.loops.insert(nest.loops.end(), loops.begin(), loops.end());
    all.insert(all.end(), own.at.begin(), own.at.end());
    inner[name] = std::move(own);
  }
  return all;
}

void Lowering::note_variables(const Term& term, const Scope& scope, std::set<std::string>& used) {
  if ((term.kind == TermKind::name || term.kind == TermKind::group) && scope.count(term.name)) used.insert(term.name);
  for (const Term& arg : term.args) note_variables(arg, scope, used);
  for (const Axis& axis : term.axes)
    for (const Term& extent : axis.extent) note_variables(extent, scope, used);
}

Lowering::TensorOf Lowering::reduce(const Term& term, const std::vector<std::string>& names, const Scope& around,
                                    std::optional<TensorOf> target) {
  ir::LoopNest nest;
  Scope inner;
  const std::vector<IndexExpr> at = enter(names, around, nest, inner);
  for (const Axis& axis : term.axes) {
    const Shape extents = extent_of(axis);
    const std::vector<ir::Loop> loops = c_.loops(extents, "r");
    nest.reduced.insert(nest.reduced.end(), loops.begin(), loops.end());
    inner[axis.name] = {.group = axis.group, .extents = extents, .at = ops::LowerContext::indices(loops)};
  }
  const ir::ReductionRow& row = ir::row_of(std::get<ir::ReduceOp>(term.operation));
  const Scalar value = rules_.value(term, evaluate(term.args[0], inner));
  if (!ir::allows(row.operands, value.type()))
    rules_.fail(term, fmt::format("'{}' of {}", term.name, name_of(value.type())));
  if (!target) {
    Shape shape;
    for (const ir::Loop& loop : nest.loops) shape.push_back(loop.extent);
    target = temporary(value.type(), std::move(shape));
  }
  nest.reductions.push_back({row.op, value.type(), value});
  const Item result = Item::of(ops::scalar(c_, c_.exprs().accumulator(0, value.type())));
  nest.stores.push_back({target->buffer, at, rules_.typed(term, result, ir::value_type(target->storage))});
  note_roles(nest);
  c_.emit(std::move(nest));
  return *target;
}

void Lowering::note_roles(ir::LoopNest& nest) {
  const ir::Reduction& r = nest.reductions[0];
  const ir::Expr product = r.value;
  const auto is_plain = [](ir::Expr load) {
    return load->kind == ir::ExprKind::load && load->guards.empty() && load->indirects.empty() &&
           std::all_of(load->indices.begin(), load->indices.end(), [](const IndexExpr& i) {
             return i.is_constant(0) || (i.node() && i.node()->op == ir::IndexOp::variable);
           });
  };
  if (r.op != ir::ReduceOp::sum || product->kind != ir::ExprKind::binary || product->binary != ir::BinaryOp::mul)
    return;
  if (!is_plain(product->args[0]) || !is_plain(product->args[1])) return;
  const auto varies = [&](size_t side, const ir::Loop& loop) {
    const auto& indices = product->args[side]->indices;
    return std::any_of(indices.begin(), indices.end(),
                       [&](const IndexExpr& i) { return ir::depends_on(i, loop.var.node()); });
  };
  std::vector<ir::AxisRole> roles;
  for (const ir::Loop& loop : nest.loops) {
    const bool left = varies(0, loop), right = varies(1, loop);
    if (!left && !right) return;
    roles.push_back(left && right ? ir::AxisRole::batch : left ? ir::AxisRole::rows : ir::AxisRole::columns);
  }
  for (const ir::Loop& loop : nest.reduced) {
    if (!varies(0, loop) || !varies(1, loop)) return;
    roles.push_back(ir::AxisRole::k);
  }
  nest.roles = std::move(roles);
}

Item Lowering::reduced_before(const Term& term, const Scope& scope) {
  std::set<std::string> used;
  note_variables(term, scope, used);
  const std::vector<std::string> names(used.begin(), used.end());
  const TensorOf made = reduce(term, names, scope, std::nullopt);
  std::vector<IndexExpr> at;
  for (const std::string& name : names) at.insert(at.end(), scope.at(name).at.begin(), scope.at(name).at.end());
  return Item::of(ops::load(c_, made.buffer, at));
}

void lower(ops::LowerContext& c) { Lowering(c, *c.row()->custom).run(); }

}  // namespace cppgen::custom
