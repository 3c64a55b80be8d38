#include "cppgen/passes/expand_recurrences.h"

#include <algorithm>
#include <cstring>

#include "cppgen/ops/recurrent.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

enum Input { kX, kW, kR, kB, kLengths, kState, kCell, kPeepholes };
constexpr int kOpset = 16;  // of the nodes made here

struct Kind {
  const char* op;
  size_t states, activations;  // activations of one direction
};
constexpr Kind kKinds[] = {{"RNN", 1, 1}, {"GRU", 1, 2}, {"LSTM", 2, 3}};

Tensor integer_scalar(int64_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return make_tensor(DType::i64, {}, std::move(bytes));
}

class Expansion {
 public:
  Expansion(Graph& graph, NodeId at, const Kind& kind)
      : graph_(graph), at_(at), kind_(kind), node_(graph.nodes[size_t(at)]) {
    const auto direction = node_.attributes.find("direction");
    const auto* text = direction == node_.attributes.end() ? nullptr : std::get_if<std::string>(&direction->second);
    directions_ = text && *text == "bidirectional" ? 2 : 1;
    reversed_ = text && *text == "reverse";
    batch_first_ = node_.opset >= 14 && integer_attribute(node_, "layout", 0) != 0;
  }

  bool run() {
    if (!is_wanted()) return false;
    shape_ = insert("Shape", {input(kX)});
    if (input(kLengths) != kNoValue) positions_ = make_positions();
    for (int i : {kW, kR, kB, kPeepholes}) parts_[i] = halves(input(i), 0);
    for (size_t s = 0; s < kind_.states; s++) parts_[kState + s] = initial_states(input(int(kState + s)));
    for (int d = 0; d < directions_; d++) add_scan(d);
    join_directions();
    return true;
  }

 private:
  Graph& graph_;
  NodeId at_;  // of the node, which moves behind what is inserted
  const Kind& kind_;
  const Node node_;
  int directions_ = 1;
  bool reversed_ = false, batch_first_ = false;
  ValueId shape_ = kNoValue, positions_ = kNoValue;
  std::map<size_t, std::vector<ValueId>> parts_;  // of weights and initial states, one for each direction
  std::vector<std::vector<ValueId>> results_;     // of each direction: Y, Y_h, Y_c

  int64_t time_axis() const { return batch_first_ ? 1 : 0; }
  int64_t state_axis() const { return batch_first_ ? 1 : 0; }  // of the directions
  ValueId input(int i) const { return size_t(i) < node_.inputs.size() ? node_.inputs[size_t(i)] : kNoValue; }

  bool is_wanted() const {
    for (int i : {kX, kW, kR})
      if (input(i) == kNoValue || !graph_.value(input(i)).type || graph_.value(input(i)).type->shape.size() != 3)
        return false;
    const IndexExpr steps = graph_.value(input(kX)).type->shape[size_t(time_axis())];
    const bool unrolled = steps.is_constant() && steps.constant() <= ops::kMaxRecurrentSteps;
    return !unrolled && graph_.value(input(kR)).type->shape[2].is_constant();
  }

  Node& insert_at(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
    Node& made = insert_node(graph_, at_++, std::move(op), std::move(inputs), std::move(outputs));
    made.opset = kOpset;
    made.name = node_.name;
    return made;
  }
  ValueId insert(std::string op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes = {}) {
    const ValueId out = graph_.add_value(node_.name + " " + op);
    insert_at(std::move(op), std::move(inputs), {out}).attributes = std::move(attributes);
    return out;
  }
  ValueId integers(const std::vector<int64_t>& values) {
    return graph_.add_constant(node_.name + " integers", make_ints(values));
  }

  // 0, 1, .. of the steps.
  ValueId make_positions() {
    auto number = [&](int64_t v) { return graph_.add_constant(node_.name + " number", integer_scalar(v)); };
    const ValueId steps = insert("Gather", {shape_, number(time_axis())});
    return insert("Range", {number(0), steps, number(1)});
  }

  std::vector<ValueId> halves(ValueId v, int64_t axis) {
    if (v == kNoValue || directions_ == 1) return std::vector<ValueId>(size_t(directions_), v);
    const std::vector<ValueId> parts{graph_.add_value(node_.name + " forward"),
                                     graph_.add_value(node_.name + " reverse")};
    insert_at("Split", {v}, parts).attributes["axis"] = axis;
    return parts;
  }

  std::vector<ValueId> initial_states(ValueId given) {
    if (given != kNoValue) return halves(given, state_axis());
    const int64_t hidden_size = graph_.value(input(kR)).type->shape[2].constant();
    const DType type = graph_.value(input(kX)).type->dtype;
    const ValueId batch = insert("Gather", {shape_, integers({batch_first_ ? 0 : 1})}), one = integers({1});
    const ValueId hidden = integers({hidden_size});
    const ValueId dims =
        insert("Concat", {batch_first_ ? batch : one, batch_first_ ? one : batch, hidden}, {{"axis", int64_t(0)}});
    const ValueId zeros = insert("ConstantOfShape", {dims}, {{"value", make_floats(type, {1}, {0})}});
    return std::vector<ValueId>(size_t(directions_), zeros);
  }

  // The node's attributes for one direction: lists hold those of the forward direction first.
  std::map<std::string, Attribute> attributes_of(int direction) const {
    std::map<std::string, Attribute> own = node_.attributes;
    std::erase_if(own, [](const auto& a) { return a.first == "direction" || a.first.find(':') != std::string::npos; });
    auto halve = [&](auto* list) {
      if (!list || directions_ == 1 || list->size() % 2 != 0) return;
      const auto half = int64_t(list->size() / 2);
      *list = {list->begin() + direction * half, list->begin() + (direction + 1) * half};
    };
    for (auto& [name, value] : own) {
      if (name == "activations") halve(std::get_if<std::vector<std::string>>(&value));
      if (name == "activation_alpha" || name == "activation_beta") halve(std::get_if<std::vector<float>>(&value));
    }
    return own;
  }

  // A body of one step. Its inputs are the states, the step's input, with lengths its position, then the captures.
  std::shared_ptr<Graph> make_body(int direction, const std::vector<int>& captured) const {
    auto body = std::make_shared<Graph>();
    body->name = node_.name + " step";
    body->index = graph_.index;
    body->opsets = graph_.opsets;
    auto add_input = [&](const char* name) {
      body->inputs.push_back(body->add_value(name));
      return body->inputs.back();
    };
    auto add = [&](const char* op, std::vector<ValueId> inputs) {
      const ValueId out = body->add_value(op);
      body->add_node(op, std::move(inputs), {out}, kOpset).name = node_.name;
      return out;
    };
    auto axes = [&](const std::vector<int64_t>& list) { return body->add_constant("axes", make_ints(list)); };
    std::vector<ValueId> states, step(kPeepholes + 1, kNoValue);
    for (size_t s = 0; s < kind_.states; s++) step[kState + s] = states.emplace_back(add_input("state"));
    const ValueId x = add_input("x"), t = positions_ == kNoValue ? kNoValue : add_input("position");
    ValueId lengths = kNoValue;
    for (int i : captured) (i == kLengths ? lengths : step[size_t(i)]) = add_input("captured");
    step[kX] = add("Unsqueeze", {x, axes({time_axis()})});
    while (step.back() == kNoValue) step.pop_back();

    std::vector<ValueId> next{body->add_value("y")};
    for (size_t s = 0; s < kind_.states; s++) next.push_back(body->add_value("next"));
    Node& cell = body->add_node(kind_.op, step, next, node_.opset);
    cell.name = node_.name;
    cell.attributes = attributes_of(direction);
    next[0] = add("Squeeze", {next[0], axes({time_axis()})});
    if (lengths != kNoValue) keep_ended(*body, add, states, next, {t, lengths});
    for (size_t s = 0; s < kind_.states; s++) body->outputs.push_back(next[1 + s]);
    body->outputs.push_back(next[0]);
    return body;
  }

  // Behind the end of a sequence its state stays, and its output is 0.
  template <class Add>
  void keep_ended(Graph& body, const Add& add, const std::vector<ValueId>& states, std::vector<ValueId>& next,
                  std::pair<ValueId, ValueId> position_and_lengths) const {
    const ValueId lengths = add("Cast", {position_and_lengths.second});
    body.nodes.back().attributes["to"] = int64_t(7);  // int64
    const ValueId axes =
        body.add_constant("axes", make_ints(batch_first_ ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{0, 2}));
    const ValueId runs = add("Unsqueeze", {add("Less", {position_and_lengths.first, lengths}), axes});
    const DType type = graph_.value(input(kX)).type->dtype;
    next[0] = add("Where", {runs, next[0], body.add_constant("zero", make_floats(type, {}, {0}))});
    for (size_t s = 0; s < states.size(); s++) next[1 + s] = add("Where", {runs, next[1 + s], states[s]});
  }

  void add_scan(int direction) {
    std::vector<ValueId> inputs;
    for (size_t s = 0; s < kind_.states; s++) inputs.push_back(parts_[kState + s][size_t(direction)]);
    const int64_t backwards = reversed_ || direction == 1;
    std::vector<int64_t> axes{time_axis()}, directions{backwards}, captures;
    inputs.push_back(input(kX));
    if (positions_ != kNoValue) {
      inputs.push_back(positions_);
      axes.push_back(0), directions.push_back(backwards);
    }
    std::vector<int> captured;
    for (int i : {kW, kR, kB, kLengths, kPeepholes}) {
      if (input(i) == kNoValue) continue;
      captured.push_back(i);
      captures.push_back(int64_t(inputs.size()));
      inputs.push_back(i == kLengths ? input(i) : parts_[size_t(i)][size_t(direction)]);
    }
    std::vector<ValueId> outputs, results;
    for (size_t s = 0; s <= kind_.states; s++) outputs.push_back(graph_.add_value(node_.name + " result"));
    results.push_back(outputs.back());
    results.insert(results.end(), outputs.begin(), outputs.end() - 1);
    results_.push_back(results);
    const int64_t scanned = int64_t(axes.size());
    insert_at("Scan", std::move(inputs), std::move(outputs)).attributes = {
        {"body", make_body(direction, captured)},
        {captures_name("body"), captures},
        {"num_scan_inputs", scanned},
        {"scan_input_axes", axes},
        {"scan_input_directions", directions},
        {"scan_output_axes", std::vector<int64_t>{time_axis()}},
        {"scan_output_directions", std::vector<int64_t>{backwards}},
    };
  }

  // The node itself becomes what makes its last output, others stand before it.
  void join_directions() {
    for (size_t o = 0; o < node_.outputs.size(); o++) {
      const ValueId out = node_.outputs[o];
      if (out == kNoValue || o > kind_.states) continue;
      std::vector<ValueId> of_each;
      for (const auto& results : results_) of_each.push_back(results[o]);
      const int64_t axis = o > 0 ? state_axis() : batch_first_ ? 2 : 1;
      const bool last = o + 1 == node_.outputs.size();
      if (!last) graph_.nodes[size_t(at_)].outputs[o] = kNoValue;
      Node& node = last ? graph_.nodes[size_t(at_)] : insert_at("", of_each, {out});
      node.op = directions_ == 1 ? "Identity" : "Concat";
      node.opset = kOpset;
      node.inputs = of_each;
      node.outputs = {out};
      node.attributes.clear();
      if (directions_ > 1) node.attributes["axis"] = axis;
    }
  }
};

}  // namespace

bool expand_recurrence(Graph& graph, NodeId position) {
  const Node& node = graph.nodes[size_t(position)];
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return node.op == k.op; });
  if (kind == std::end(kKinds) || !node.domain.empty()) return false;
  return Expansion(graph, position, *kind).run();
}

}  // namespace cppgen::passes
