// Nodes that read tensors of several ranks become part of branches in which the rank is known.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "cppgen/ops/value_type.h"
#include "cppgen/passes/branches.h"
#include "cppgen/passes/rewrite.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {
namespace {

constexpr size_t kMostSunk = 4096;  // nodes that are moved into one If
constexpr int kChoiceOpset = 13;    // of the If that chooses by the rank

// Returns whether the operator takes tensors of any rank: operators on sequences and optionals do.
bool takes_any_rank(const Node& node) {
  static const std::set<std::string> kLists{"SequenceInsert", "SequenceConstruct", "Optional", "OptionalHasElement"};
  return (node.domain.empty() && kLists.count(node.op)) || node.op == "RankIs" || node.op == "WithRank";
}

// An input of the node with unknown rank, or nullopt.
ValueId unranked_input(const Graph& graph, const Node& node) {
  if (takes_any_rank(node)) return kNoValue;
  for (ValueId v : node.inputs)
    if (v != kNoValue && ops::is_unranked(graph.value(v))) return v;
  return kNoValue;
}

std::set<ValueId> outputs_of(const Node& node) {
  std::set<ValueId> outputs(node.outputs.begin(), node.outputs.end());
  outputs.erase(kNoValue);
  return outputs;
}

std::vector<NodeId> nodes_behind(const NodeOrder& order, NodeId id) {
  std::vector<NodeId> nodes = order.from(id);
  nodes.erase(nodes.begin());
  return nodes;
}

// Returns, by id, whether a node behind `id` depends on that node.
std::vector<bool> dependents(const Graph& graph, const NodeOrder& order, NodeId id) {
  std::vector<bool> depends(graph.nodes.size());
  std::set<ValueId> reached = outputs_of(graph.nodes[size_t(id)]);
  for (NodeId n : nodes_behind(order, id)) {
    const Node& node = graph.nodes[size_t(n)];
    if (std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return reached.count(v) > 0; })) continue;
    depends[size_t(n)] = true;
    reached.merge(outputs_of(node));
  }
  return depends;
}

// Moves nodes that do not need `id` in front of it. False if there is none.
bool hoist_independent(const Graph& graph, NodeOrder& order, NodeId id) {
  const std::vector<bool> depends = dependents(graph, order, id);
  bool any = false;
  for (NodeId n : nodes_behind(order, id))
    if (!depends[size_t(n)]) order.move_before(id, n), any = true;
  return any;
}

// A node that is moved into several branches has bodies of its own in each.
void copy_bodies(Node& node) {
  for (auto& [name, attribute] : node.attributes)
    if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
      *body = std::make_shared<Graph>(deep_copy(**body));
}

// Makes nodes part of the branches of an If.
class Sinking {
 public:
  Sinking(Graph& graph, NodeId id) : graph_(graph), branch_(graph.nodes[size_t(id)]) {
    for (const char* name : {"then_branch", "else_branch"}) {
      auto& attribute = branch_.attributes[name];
      auto body = std::make_shared<Graph>(deep_copy(*std::get<std::shared_ptr<Graph>>(attribute)));
      attribute = body;
      body->outputs.resize(branch_.outputs.size());  // the others are never read
      bodies_.push_back({name, body.get(), {}});
      note_known(bodies_.back());
    }
  }

  void add(const Node& node) {
    for (Body& body : bodies_) add_to(body, node);
    for (ValueId v : node.outputs)
      if (v != kNoValue) graph_.value(v).producer = branch_.id;
    branch_.outputs.insert(branch_.outputs.end(), node.outputs.begin(), node.outputs.end());
  }

 private:
  struct Body {
    const char* name;
    Graph* graph;
    std::map<ValueId, ValueId> known;  // values outside and their counterparts in the body
  };

  Graph& graph_;
  Node& branch_;
  std::vector<Body> bodies_;

  std::vector<int64_t>& captures(const Body& body) { return branch_.facts.captures[body.name]; }

  void note_known(Body& body) {
    const std::vector<int64_t>& positions = captures(body);
    for (size_t k = 0; k < positions.size(); k++)
      body.known[branch_.inputs[size_t(positions[k])]] = body.graph->inputs[k];
    for (size_t i = 0; i < branch_.outputs.size(); i++)
      if (branch_.outputs[i] != kNoValue) body.known[branch_.outputs[i]] = body.graph->outputs[i];
  }

  ValueId inside(Body& body, ValueId v) {
    if (v == kNoValue) return kNoValue;
    if (const auto found = body.known.find(v); found != body.known.end()) return found->second;
    const Value& outside = graph_.value(v);
    ValueId id;
    if (outside.constant) {
      id = body.graph->add_constant(outside.name, *outside.constant);
    } else {
      id = body.graph->add_value(outside.name);
      captures(body).push_back(int64_t(branch_.inputs.size()));
      branch_.inputs.push_back(v);
      body.graph->inputs.push_back(id);
    }
    body.known[v] = id;
    return id;
  }

  void add_to(Body& body, const Node& node) {
    Node own = node;
    own.id = NodeId(body.graph->nodes.size());
    copy_bodies(own);
    for (ValueId& v : own.inputs) v = inside(body, v);
    for (ValueId& v : own.outputs) {
      const ValueId outside = v;
      v = body.graph->add_value(outside == kNoValue ? "" : graph_.value(outside).name);
      body.graph->value(v).producer = own.id;
      body.graph->outputs.push_back(v);
      if (outside != kNoValue) body.known[outside] = v;
    }
    body.graph->nodes.push_back(std::move(own));
  }
};

// Nodes that compute the shape of another value: the number of elements is a rank, which readers must know.
bool gives_shape(const Node& node) {
  static const std::set<std::string> kOfVectors{"Shape", "Slice", "Concat", "Cast",  "Identity", "Add", "Sub",
                                                "Mul",   "Div",   "Equal",  "Where", "Max",      "Min"};
  return node.domain.empty() && kOfVectors.count(node.op) > 0;
}

// The next nodes to move into the If: up to `most` direct or indirect readers of its outputs, with the nodes after the
// If that they need, and all readers of shapes that these compute. Readers that need a node after the If that does not
// depend on it are not moved.
class NextReaders {
 public:
  NextReaders(const Graph& graph, const NodeOrder& order, NodeId id)
      : graph_(graph),
        id_(id),
        behind_(nodes_behind(order, id)),
        is_behind_(graph.nodes.size()),
        depends_(dependents(graph, order, id)) {
    for (NodeId n : behind_) is_behind_[size_t(n)] = true;
  }

  // In order.
  std::vector<NodeId> up_to(size_t most) {
    std::set<ValueId> open = outputs_of(graph_.nodes[size_t(id_)]);
    std::erase_if(open, [&](ValueId v) { return !ops::is_unranked(graph_.value(v)); });
    std::set<ValueId> shapes;
    std::set<NodeId> taken;
    size_t readers = 0;
    for (size_t i = 0; i < behind_.size() && (readers < most || !shapes.empty()); i++) {
      const Node& node = graph_.nodes[size_t(behind_[i])];
      const std::set<ValueId>& wanted = readers < most ? open : shapes;
      const bool reads_shape = reads(node, shapes);
      std::set<NodeId> needed;
      if (takes_any_rank(node) || !reads(node, wanted) || !add_needed(behind_[i], needed)) continue;
      taken.merge(needed);
      const std::set<ValueId> outputs = outputs_of(node);
      open.insert(outputs.begin(), outputs.end());
      if (node.op == "Shape" || (reads_shape && gives_shape(node))) shapes.insert(outputs.begin(), outputs.end());
      readers++;
    }
    std::vector<NodeId> next;
    std::copy_if(behind_.begin(), behind_.end(), std::back_inserter(next),
                 [&](NodeId n) { return taken.count(n) > 0; });
    return next;
  }

 private:
  const Graph& graph_;
  const NodeId id_;
  const std::vector<NodeId> behind_;  // in order
  std::vector<bool> is_behind_;       // by id
  const std::vector<bool> depends_;

  static bool reads(const Node& node, const std::set<ValueId>& values) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return values.count(v) > 0; });
  }

  bool add_needed(NodeId node, std::set<NodeId>& needed) const {
    if (node < 0 || !is_behind_[size_t(node)] || needed.count(node)) return true;
    needed.insert(node);
    const auto& inputs = graph_.nodes[size_t(node)].inputs;
    return depends_[size_t(node)] && std::all_of(inputs.begin(), inputs.end(), [&](ValueId v) {
             return v == kNoValue || add_needed(graph_.value(v).producer, needed);
           });
  }
};

void sink(Graph& graph, NodeOrder& order, NodeId id, const std::vector<NodeId>& nodes) {
  Sinking sinking(graph, id);
  for (NodeId n : nodes) sinking.add(order.take(n));
}

// Returns whether a node after the If reads an output whose rank is not known.
bool is_read_unranked(const Graph& graph, const NodeOrder& order, NodeId id) {
  const std::set<ValueId> outputs = outputs_of(graph.nodes[size_t(id)]);
  const std::vector<NodeId> behind = nodes_behind(order, id);
  return std::any_of(behind.begin(), behind.end(), [&](NodeId n) {
    const Node& node = graph.nodes[size_t(n)];
    return !takes_any_rank(node) && std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
      return outputs.count(v) && ops::is_unranked(graph.value(v));
    });
  });
}

void forget_types(Graph& graph, const Node& node) {
  for (ValueId v : node.outputs) {
    if (v == kNoValue) continue;
    graph.value(v).type.reset(), graph.value(v).host.reset(), graph.value(v).contents.reset();
  }
}

}  // namespace

bool sink_readers(Graph& graph, NodeOrder& order, NodeId id, const Node& untyped, const std::function<void()>& again) {
  Node pristine = untyped;
  size_t sunk = 0;
  for (size_t batch = 1;; batch *= 2) {
    if (!is_read_unranked(graph, order, id)) return true;
    Node typed = graph.nodes[size_t(id)];
    graph.nodes[size_t(id)] = pristine;
    if (!std::exchange(pristine.facts.hoisted, true)) {
      graph.nodes[size_t(id)] = pristine;
      if (hoist_independent(graph, order, id)) return false;
    }
    const std::vector<NodeId> readers = NextReaders(graph, order, id).up_to(batch);
    if (readers.empty()) return graph.nodes[size_t(id)] = std::move(typed), true;
    sunk += readers.size();
    if (sunk > kMostSunk)
      user_error("node {} ({}): more than {} nodes read tensors whose number of dimensions is known only at run time",
                 quoted(pristine.name), pristine.op, kMostSunk);
    sink(graph, order, id, readers);
    pristine = graph.nodes[size_t(id)];
    forget_types(graph, pristine);
    again();
  }
}

namespace {

Node transpose_node(const std::string& op, const std::string& name, int64_t rank) {
  Node node = new_node(op, 1, {}, {});
  node.name = name, node.domain = "cppgen", node.attributes = {{"rank", rank}};
  return node;
}

// A node that tests whether `v` has this rank.
Node rank_is(Graph& graph, ValueId v, const std::string& name, int64_t rank) {
  Node ask = transpose_node("RankIs", name, rank);
  ask.inputs = {v}, ask.outputs = {graph.add_value(name + " has rank " + std::to_string(rank))};
  return ask;
}

void append(Graph& graph, Node node) {
  graph.nodes.push_back(std::move(node));
  graph.number_nodes();
}

Node rank_choice(Graph&, ValueId v, ValueId condition, ValueId output, const std::string& name,
                 const std::vector<int64_t>& ranks);

// A branch for the first rank, which returns the value that it captures, or a branch that chooses among several ranks.
std::shared_ptr<Graph> ranked_branch(const Graph& outer, const std::string& name, const std::vector<int64_t>& ranks) {
  auto body = std::make_shared<Graph>();
  body->name = name, body->index = outer.index, body->opsets = outer.opsets;
  body->custom_operators = outer.custom_operators;
  const ValueId in = body->add_value(name), out = body->add_value(name);
  body->inputs = {in}, body->outputs = {out};
  if (ranks.size() == 1) {
    Node with = transpose_node("WithRank", name, ranks[0]);
    with.inputs = {in}, with.outputs = {out};
    append(*body, std::move(with));
    return body;
  }
  Node ask = rank_is(*body, in, name, ranks[0]);
  const ValueId condition = ask.outputs[0];
  append(*body, std::move(ask));
  append(*body, rank_choice(*body, in, condition, out, name, ranks));
  return body;
}

Node rank_choice(Graph& graph, ValueId v, ValueId condition, ValueId output, const std::string& name,
                 const std::vector<int64_t>& ranks) {
  Node choice;
  choice.id = 0, choice.name = name, choice.op = "If", choice.opset = kChoiceOpset;
  choice.inputs = {condition, v, v}, choice.outputs = {output};
  choice.attributes["then_branch"] = ranked_branch(graph, name, {ranks[0]});
  choice.attributes["else_branch"] = ranked_branch(graph, name, {ranks.begin() + 1, ranks.end()});
  choice.facts.captures = {{"then_branch", {1}}, {"else_branch", {2}}};
  return choice;
}

}  // namespace

bool insert_rank_switch(Graph& graph, NodeOrder& order, NodeId id) {
  const Node& reader = graph.nodes[size_t(id)];
  const ValueId v = bodies_of(reader).empty() ? unranked_input(graph, reader) : kNoValue;  // bodies choose inside
  if (v == kNoValue) return false;
  const std::vector<int64_t> ranks = ops::possible_ranks(*graph.value(v).host);
  if (ranks.size() < 2) return false;
  const std::string name = graph.value(v).name;
  const ValueId ranked = graph.add_value(name);
  for (NodeId n : order.from(id))
    if (Node& node = graph.nodes[size_t(n)]; !takes_any_rank(node))
      std::replace(node.inputs.begin(), node.inputs.end(), v, ranked);
  Node ask = rank_is(graph, v, name, ranks[0]);
  Node choice = rank_choice(graph, v, ask.outputs[0], ranked, name, ranks);
  order.insert_before(id, std::move(ask));
  order.insert_before(id, std::move(choice));
  return true;
}

}  // namespace cppgen::passes
