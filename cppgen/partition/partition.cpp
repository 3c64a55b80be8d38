#include "cppgen/partition/partition.h"

#include <algorithm>
#include <functional>
#include <set>

#include "cppgen/graph/string_elements.h"
#include "cppgen/graph/substitute_dims.h"
#include "cppgen/ops/op.h"
#include "cppgen/ops/value_type.h"
#include "cppgen/partition/compared_dims.h"
#include "cppgen/partition/items.h"
#include "runtime/base/errors.h"
#include "runtime/plan/calls/host_steps.h"
#include "runtime/plan/host_fields.h"

namespace cppgen::partition {
namespace {

bool is_known(const Value& v) { return v.constant || v.contents; }

// The graph of one plan: copies of values and nodes of the graph that is split.
class PlanGraph {
 public:
  PlanGraph(const Graph& from, std::string name) : from_(from) {
    graph_.name = std::move(name);
    graph_.index = from.index;
    graph_.opsets = from.opsets;
    graph_.custom_operators = from.custom_operators;
  }

  // The copy of a value; one that is neither known nor computed here becomes an input.
  ValueId value(ValueId v) {
    if (v == kNoValue) return kNoValue;
    const auto found = copies_.find(v);
    if (found != copies_.end()) return found->second;
    const ValueId id = copy(v);
    if (!is_known(from_.value(v))) {
      graph_.inputs.push_back(id);
      inputs_.push_back(v);
    }
    return id;
  }

  void add_input(ValueId v) {
    if (std::find(inputs_.begin(), inputs_.end(), v) != inputs_.end()) return;
    const auto found = copies_.find(v);
    const ValueId id = found == copies_.end() ? copy(v) : found->second;
    graph_.inputs.push_back(id);
    inputs_.push_back(v);
  }

  void add_node(const Node& node) {
    Node own = node;
    own.id = NodeId(graph_.nodes.size());
    for (ValueId& v : own.inputs) v = value(v);
    for (ValueId& v : own.outputs) {
      if (v == kNoValue) continue;
      v = copy(v);
      graph_.value(v).producer = own.id;
    }
    graph_.nodes.push_back(std::move(own));
  }

  void add_output(ValueId v) {
    if (std::find(outputs_.begin(), outputs_.end(), v) != outputs_.end()) return;
    graph_.outputs.push_back(value(v));
    outputs_.push_back(v);
  }

  // Symbols to which nodes refer by name, not only in types, are kept.
  void substitute(const ir::IndexMap& map) {
    if (!is_named(map.begin()->first)) substitute_dims(graph_, map);
  }

  // Makes the source of every symbol an input that no other input binds.
  void bind_symbols(const std::function<ValueId(const std::string&)>& source_of) {
    std::set<std::string> bound;
    auto note = [&](ValueId input) {
      for (const ir::IndexExpr& d : graph_.value(input).type->shape)
        if (d.node() && d.node()->op == ir::IndexOp::variable) bound.insert(d.node()->name);
    };
    for (ValueId input : graph_.inputs) note(input);
    for (size_t i = 0; i < graph_.values.size(); i++)
      for (const std::string& name : symbols_of(graph_.values[i])) {
        if (bound.count(name)) continue;
        add_input(source_of(name));
        note(graph_.inputs.back());
        check(bound.count(name), "a symbol's source does not bind it");
      }
  }

  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  // Makes names of inputs and outputs distinct.
  Graph take() {
    for (size_t i = 0; i < graph_.inputs.size(); i++) graph_.value(graph_.inputs[i]).name = fmt::format("in{}", i);
    for (size_t i = 0; i < graph_.outputs.size(); i++) graph_.value(graph_.outputs[i]).name = fmt::format("out{}", i);
    return std::move(graph_);
  }

 private:
  const Graph& from_;
  Graph graph_;
  std::map<ValueId, ValueId> copies_;
  std::vector<ValueId> inputs_, outputs_;

  bool is_named(const ir::IndexNode* symbol) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) {
      const auto& names = node.facts.run_time_symbols;
      return names && std::find(names->begin(), names->end(), symbol->name) != names->end();
    });
  }

  ValueId copy(ValueId v) {
    Value own = from_.value(v);
    own.id = ValueId(graph_.values.size());
    own.producer = -1;
    if (is_string_tensor(own)) own.type->dtype = kStringHandle;
    graph_.values.push_back(std::move(own));
    copies_[v] = graph_.values.back().id;
    return graph_.values.back().id;
  }
};

// Splits one graph: the model or a body.
class BodyPartitioner {
 public:
  // `outer` returns the value of the enclosing graph that binds a symbol.
  using Outer = std::function<const Value&(const std::string&)>;

  BodyPartitioner(Graph graph, PartitionedModel& result, size_t number, Outer outer)
      : graph_(std::move(graph)), result_(result), number_(number), outer_(std::move(outer)) {}

  // Values of the enclosing graph that are inputs after the graph's own.
  std::vector<ValueId> run() {
    items_ = make_items(graph_, sources_);
    make_plans();
    use_comparisons();
    // Plans and bodies determine the symbols that this graph needs as inputs, before its inputs are numbered.
    for (auto& [level, plan] : plans_)
      plan.bind_symbols([&, at = level](const std::string& name) { return source(name, {at, nullptr}); });
    for (const Item& item : items_) bodies_.push_back(item.host ? bodies_of(item) : Bodies{});
    for (ValueId v : graph_.inputs) slot_of(v);
    for (ValueId v : bindings_) slot_of(v);
    body_.inputs = body_.slots;
    emit_steps();
    for (ValueId v : graph_.outputs) body_.outputs.push_back(slot_of(v));
    result_.module.bodies[number_] = std::move(body_);
    return outer_bindings_;
  }

 private:
  // The bodies of a node: their numbers, the values that each captures, and the positions of these among the node's
  // inputs.
  struct Bodies {
    std::vector<int32_t> numbers;
    std::vector<std::vector<ValueId>> captures;
    std::set<int64_t> positions;
  };

  Graph graph_;
  PartitionedModel& result_;
  size_t number_;
  Outer outer_;
  Sources sources_;
  std::vector<Item> items_;
  std::vector<Bodies> bodies_;      // by item
  std::map<int, PlanGraph> plans_;  // by level
  std::vector<ValueId> bindings_, outer_bindings_;
  rt::HostBody body_;
  std::map<ValueId, int32_t> slots_;

  int32_t slot_of(ValueId v) {
    if (v == kNoValue) return -1;
    const auto [at, added] = slots_.try_emplace(v, body_.slots);
    if (added) body_.slots++;
    return at->second;
  }

  PlanGraph& plan_at(int level) {
    return plans_.try_emplace(level, graph_, fmt::format("{}#{}", graph_.name, level)).first->second;
  }

  // Steps run by levels: first the plan of a level, then its host items, in order.
  struct Time {
    int level;
    const Item* item;  // null: the plan
  };

  bool is_there(ValueId v, Time time) const {
    for (const Item& item : items_) {
      const auto& outputs = item.node.outputs;
      if (!item.host || std::find(outputs.begin(), outputs.end(), v) == outputs.end()) continue;
      return item.level < time.level || (item.level == time.level && time.item && &item < time.item);
    }
    return true;
  }

  // The source of a symbol for its readers at this time. From outside it is a further input, even if a later step has a
  // dimension of that name.
  ValueId source(const std::string& name, Time time) {
    const auto found = sources_.find(name);
    if (found != sources_.end() && (!outer_ || is_there(found->second.value, time))) return found->second.value;
    if (!outer_) internal_error("the dimension {} has no source", name);
    const Value& outside = outer_(name);
    const ValueId inside = graph_.add_value("binding of " + name);
    graph_.value(inside).type = outside.type;
    sources_[name] = {inside, 0};
    bindings_.push_back(inside);
    outer_bindings_.push_back(outside.id);
    return inside;
  }

  void make_plans() {
    for (const Item& item : items_) {
      if (item.host) continue;
      PlanGraph& plan = plan_at(item.level);
      plan.add_node(item.node);
      for (ValueId v : item.carriers) plan.add_input(v);
    }
    add_outputs();
  }

  // Equalities that have been compared hold in all later plans.
  void use_comparisons() {
    for (const Item& item : items_)
      for (const ir::IndexMap& map : known_by_comparison(item.compared))
        for (auto plan = plans_.upper_bound(item.level); plan != plans_.end(); ++plan) plan->second.substitute(map);
  }

  // The values that a plan computes and others read. Inputs exist anyway, including those whose contents are known.
  void add_outputs() {
    const std::set<ValueId> given(graph_.inputs.begin(), graph_.inputs.end());
    std::map<ValueId, int> computed, known;  // by level
    int last = 0;
    for (const Item& item : items_) {
      last = std::max(last, item.level);
      if (item.host) continue;
      for (ValueId v : item.node.outputs) computed[v] = item.level;
    }
    auto read = [&](ValueId v, int level, bool by_host) {
      if (v == kNoValue || given.count(v)) return;
      if (const Value& value = graph_.value(v); is_known(value)) {
        if (!by_host) return;
        // The plan before its first reader computes it, or the first plan if it is constant.
        const int first = value.constant || symbols_of(value).empty() ? 0 : level;
        const auto [place, added] = known.try_emplace(v, first);
        if (!added) place->second = std::min(place->second, first);
      } else if (const auto at = computed.find(v); at != computed.end() && (by_host || level != at->second)) {
        plan_at(at->second).add_output(v);
      }
    };
    for (const Item& item : items_)
      for (ValueId v : item.node.inputs) read(v, item.level, item.host);
    for (ValueId v : graph_.outputs) read(v, last, true);
    for (const auto& [v, level] : known) plan_at(level).add_output(v);
  }

  void emit_steps() {
    int last = 0;
    for (const Item& item : items_) last = std::max(last, item.level);
    for (int level = 0; level <= last; level++) {
      if (const auto plan = plans_.find(level); plan != plans_.end()) emit_plan(plan->second);
      for (size_t i = 0; i < items_.size(); i++)
        if (items_[i].host && items_[i].level == level) emit_host(items_[i], bodies_[i]);
    }
  }

  void emit_plan(PlanGraph& plan) {
    rt::HostStep step;
    step.op = rt::HostOp::plan;
    step.plan = int32_t(result_.plans.size());
    for (ValueId v : plan.inputs()) step.inputs.push_back(slot_of(v));
    rt::PlanStepCall fields;
    for (ValueId v : plan.outputs()) {
      if (is_string_tensor(graph_.value(v))) fields.string_outputs.push_back(int64_t(step.outputs.size()));
      step.outputs.push_back(slot_of(v));
    }
    rt::set_fields(step, std::move(fields));
    step.origin = fmt::format("plan {}", step.plan);
    result_.plans.push_back(plan.take());
    body_.steps.push_back(std::move(step));
  }

  void emit_host(const Item& item, const Bodies& bodies) {
    rt::HostStep step = item.step;
    for (size_t i = 0; i < item.node.inputs.size(); i++)
      if (!bodies.positions.count(int64_t(i))) step.inputs.push_back(slot_of(item.node.inputs[i]));
    step.bodies = bodies.numbers;
    for (const auto& captures : bodies.captures) {
      step.captures.emplace_back();
      for (ValueId v : captures) step.captures.back().push_back(slot_of(v));
    }
    for (ValueId v : item.node.outputs) step.outputs.push_back(slot_of(v));
    body_.steps.push_back(std::move(step));
  }

  // "then_branch" before "else_branch".
  static std::vector<std::pair<std::string, std::shared_ptr<Graph>>> bodies_in_order(const Node& node) {
    std::vector<std::pair<std::string, std::shared_ptr<Graph>>> bodies;
    for (const auto& [name, attribute] : node.attributes)
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) bodies.insert(bodies.begin(), {name, *body});
    return bodies;
  }

  Bodies bodies_of(const Item& item) {
    Bodies bodies;
    for (const auto& [name, body] : bodies_in_order(item.node)) add_body(item, name, *body, bodies);
    return bodies;
  }

  void add_body(const Item& item, const std::string& name, const Graph& body, Bodies& bodies) {
    const Node& node = item.node;
    Graph own = deep_copy(body);
    const std::vector<int64_t>& positions = node.captures(name);
    bodies.positions.insert(positions.begin(), positions.end());
    std::vector<ValueId> captures;
    const size_t first = own.inputs.size() - positions.size();
    std::vector<ValueId> inputs(own.inputs.begin(), own.inputs.begin() + int64_t(first));
    for (size_t k = 0; k < positions.size(); k++) {
      const Value& outside = graph_.value(node.inputs[size_t(positions[k])]);
      if (outside.constant) {
        own.value(own.inputs[first + k]).constant = outside.constant;
        own.value(own.inputs[first + k]).contents.reset();
        continue;
      }
      inputs.push_back(own.inputs[first + k]);
      captures.push_back(outside.id);
    }
    own.inputs = std::move(inputs);
    const size_t number = result_.module.bodies.size();
    result_.module.bodies.emplace_back();
    auto outer = [&](const std::string& symbol) -> const Value& {
      return graph_.value(source(symbol, {item.level, &item}));
    };
    const auto bindings = BodyPartitioner(std::move(own), result_, number, outer).run();
    captures.insert(captures.end(), bindings.begin(), bindings.end());
    bodies.numbers.push_back(int32_t(number));
    bodies.captures.push_back(std::move(captures));
  }
};

rt::ValueInfo info_of(const Value& value) {
  rt::ValueInfo info;
  info.name = value.name;
  if (value.host) {
    info.kind = value.host->strings && value.host->kind == ValueKind::tensor ? ValueKind::strings : value.host->kind;
    info.type = value.host->dtype;
    info.ranked = ops::has_dims(*value.host);
    if (info.ranked) info.dims = *value.host->dims;
    info.symbols.resize(info.dims.size());
    return info;
  }
  const bool strings = is_string_tensor(value);
  info.kind = strings ? ValueKind::strings : ValueKind::tensor;
  info.type = strings ? DType::f32 : value.type->dtype;
  for (const ir::IndexExpr& d : value.type->shape) {
    info.dims.push_back(d.is_constant() ? d.constant() : -1);
    const bool named = d.node() && d.node()->op == ir::IndexOp::variable && !ir::is_fresh_symbol(d);
    info.symbols.push_back(named ? d.node()->name : "");
  }
  return info;
}

// A module that no session would load is a bug in cppgen, not an error of the model.
void check_module(const rt::Module& module) {
  try {
    rt::validate(module);
  } catch (const UserError& e) {
    internal_error("{}", e.what());
  }
}

}  // namespace

bool is_one_plan(const Graph& graph) {
  const bool tensors = std::all_of(graph.inputs.begin(), graph.inputs.end(),
                                   [&](ValueId v) { return !graph.value(v).host.has_value(); });
  const bool strings = std::any_of(graph.values.begin(), graph.values.end(), is_string_tensor);
  const bool cut = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return ops::is_host(graph, node) || node.facts.run_time_symbols.has_value();
  });
  return tensors && !strings && !cut && !ops::compares_in_run(graph);
}

PartitionedModel partition(const Graph& graph) {
  PartitionedModel result;
  result.module.model = graph.name;
  for (ValueId v : graph.inputs) result.module.inputs.push_back(info_of(graph.value(v)));
  for (ValueId v : graph.outputs) result.module.outputs.push_back(info_of(graph.value(v)));
  result.module.bodies.emplace_back();
  BodyPartitioner(deep_copy(graph), result, 0, nullptr).run();
  result.module.plans = int32_t(result.plans.size());
  check_module(result.module);
  return result;
}

}  // namespace cppgen::partition
