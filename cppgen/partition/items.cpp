#include "cppgen/partition/items.h"

#include <algorithm>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/plan/calls/host_sequences.h"
#include "runtime/plan/host_fields.h"

namespace cppgen::partition {
namespace {

void set_origin(rt::HostStep& step, const Node& node) {
  step.node = node.name, step.origin = one_line(fmt::format("node '{}' ({})", node.name, node.op));
}

class ItemMaker {
 public:
  ItemMaker(Graph& graph, Sources& sources) : graph_(graph), sources_(sources) {}

  std::vector<Item> run() {
    for (ValueId v : graph_.inputs) note_source(v);
    const std::vector<Node> nodes = graph_.nodes;
    for (const Node& node : nodes) add_node(node);
    return std::move(items_);
  }

 private:
  struct Place {
    int level = 0;
    bool host = false;
  };

  Graph& graph_;
  Sources& sources_;
  std::vector<Item> items_;
  std::map<ValueId, Place> places_;  // of values that items compute

  void note_source(ValueId v) {
    const Value& value = graph_.value(v);
    if (!value.type) return;
    for (size_t axis = 0; axis < value.type->shape.size(); axis++) {
      const ir::IndexNode* n = value.type->shape[axis].node();
      if (n && n->op == ir::IndexOp::variable) sources_.try_emplace(n->name, Source{v, axis});
    }
  }

  void add_node(const Node& node) {
    if (ops::is_host(graph_, node)) return add_host(node);
    Item item;
    item.node = node;
    if (const auto& symbols = node.facts.run_time_symbols) item.carriers.push_back(add_carrier(node, *symbols));
    if (const auto compared = ops::compared_in_run(graph_, node.id); !compared.empty())
      item.carriers.push_back(add_comparison(node, compared));
    add(std::move(item));
  }

  void add_host(const Node& node) {
    const ops::Op* op = ops::find(graph_, node);
    ops::InferContext context(graph_, node);
    Item item;
    item.host = true;
    item.node = node;
    item.step = op->host(context);
    set_origin(item.step, node);
    add(std::move(item));
  }

  // The step that compares dimensions, and the value that exists if they are equal.
  ValueId add_comparison(const Node& node, const ops::ComparedDims& compared) {
    const ValueId dims = graph_.add_value(node.name + " compared"), equal = graph_.add_value(node.name + " equal");
    Value& pairs = graph_.value(dims);
    pairs.type = TensorType{DType::i64, {int64_t(2 * compared.size())}};
    pairs.contents.emplace();
    for (const auto& [a, b] : compared) pairs.contents->insert(pairs.contents->end(), {a, b});
    graph_.value(equal).type = TensorType{DType::u8, {0}};
    Item compare;
    compare.host = true;
    compare.node.name = node.name;
    compare.node.inputs = {dims}, compare.node.outputs = {equal};
    compare.step.function = "compare_dimensions";
    set_origin(compare.step, node);
    compare.compared = compared;
    graph_.value(equal).producer = node.id;
    add(std::move(compare));
    return equal;
  }

  // The step that computes the dimensions of the node's outputs, and the value that has these dimensions after a
  // leading 0, so it has no elements.
  ValueId add_carrier(const Node& node, const std::vector<std::string>& symbols) {
    const ValueId dims = graph_.add_value(node.name + " dimensions"),
                  carrier = graph_.add_value(node.name + " carrier");
    graph_.value(dims).type = TensorType{DType::i64, {int64_t(symbols.size())}};
    Shape shape{0};
    for (const std::string& name : symbols)
      shape.push_back(name.empty() ? graph_.index->fresh_symbol("dim") : graph_.index->symbol(name));
    graph_.value(carrier).type = TensorType{DType::u8, shape};
    Item resolve;
    resolve.node = node;
    resolve.node.facts.run_time_symbols.reset();
    resolve.node.facts.resolves = true;
    resolve.node.outputs = {dims};
    graph_.value(dims).producer = node.id;
    add(std::move(resolve));
    Item carry;
    carry.host = true;
    carry.node.name = node.name;
    carry.node.inputs = {dims}, carry.node.outputs = {carrier};
    carry.step.function = "dimension_carrier";
    rt::set_fields(carry.step, rt::MessageCall{"its inputs do not match, or yield a negative dimension"});
    set_origin(carry.step, node);
    graph_.value(carrier).producer = node.id;
    add(std::move(carry));
    return carrier;
  }

  // A value that the host makes is available only to plans of the next level.
  void wait_for(Item& item, ValueId v) const {
    const auto place = places_.find(v);
    if (place == places_.end()) return;
    item.level = std::max(item.level, place->second.level + (place->second.host && !item.host ? 1 : 0));
  }

  // Symbols are known only to plans, so a plan computes those that the host reads.
  void wait_for_symbols(Item& item, ValueId v) const {
    for (const std::string& name : symbols_of(graph_.value(v))) {
      const auto source = sources_.find(name);
      if (source == sources_.end()) continue;
      const auto place = places_.find(source->second.value);
      if (place != places_.end()) item.level = std::max(item.level, place->second.level + int(place->second.host));
    }
  }

  void add(Item item) {
    for (ValueId v : item.node.inputs) {
      if (v == kNoValue) continue;
      wait_for(item, v);
      if (!item.host || graph_.value(v).contents) wait_for_symbols(item, v);
    }
    for (ValueId v : item.carriers) wait_for(item, v);
    for (ValueId v : item.node.outputs)
      if (v != kNoValue && !item.host) wait_for_symbols(item, v);
    for (ValueId v : item.node.outputs) {
      if (v == kNoValue) continue;
      places_[v] = {item.level, item.host};
      if (item.host) note_source(v);
    }
    items_.push_back(std::move(item));
  }
};

}  // namespace

std::vector<std::string> symbols_of(const Value& value) {
  std::vector<std::string> names;
  auto add = [&](const ir::IndexExpr& e) {
    for (const ir::IndexNode* n : ir::variables_of(e)) names.push_back(n->name);
  };
  if (value.type) std::for_each(value.type->shape.begin(), value.type->shape.end(), add);
  if (value.contents) std::for_each(value.contents->begin(), value.contents->end(), add);
  return names;
}

std::vector<Item> make_items(Graph& graph, Sources& sources) { return ItemMaker(graph, sources).run(); }

}  // namespace cppgen::partition
