// Steps with bodies: If, Loop and what exporters make with them.
#include "tests/control_flow/block.h"
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int kMostNesting = 3;

// The part of it that the runs that get there see.
std::vector<Known> seen_in(const std::vector<Known>& values, const std::vector<bool>& gets_there) {
  std::vector<Known> seen = values;
  for (Known& v : seen)
    for (size_t r = 0; r < gets_there.size(); r++)
      if (!gets_there[r]) v.dims[r].reset();
  return seen;
}

}  // namespace

onnx::GraphProto& Block::body(onnx::NodeProto& node, const std::string& attribute) {
  auto& a = *node.add_attribute();
  a.set_name(attribute), a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->set_name(fresh("body"));
  return *a.mutable_g();
}

// Its body begins with the number of the round, the condition (which stays) and the states `s0`...; the caller adds the
// outputs behind the condition.
onnx::NodeProto& Block::loop(const std::string& rounds, const std::vector<std::string>& states,
                             onnx::GraphProto*& graph) {
  std::vector<std::string> in{rounds, flag(true)};
  in.insert(in.end(), states.begin(), states.end());
  const std::string name = fresh("loop");
  onnx::NodeProto& node = ModelMaker::add_node(graph_, "Loop", in, {}, name);
  graph = &body(node, "body");
  for (const char* input : {"i", "c", "s"}) graph->add_input()->set_name(name + input);
  ModelMaker::add_node(*graph, "Identity", {name + "c"}, {name + "c2"});
  graph->add_output()->set_name(name + "c2");
  return node;
}

// Known, a dimension, or a number that only a run knows.
std::string Block::rounds_of(const Known& x, std::vector<int64_t>& counts) {
  counts.assign(x.dims.size(), 3);
  const int kind = below(3);
  if (kind == 1 && has_rank(x, 1)) {
    for (size_t r = 0; r < counts.size(); r++)
      if (x.dims[r]) counts[r] = x.dims[r]->front();
    return extent(x.name, 0, true);
  }
  if (kind == 2) {
    for (size_t r = 0; r < counts.size(); r++) counts[r] = int64_t(r) + 1;
    return "rounds";
  }
  return ints({3}, true);
}

// torch.squeeze(x, axis)
bool Block::squeeze_if_one(const Known& x) {
  if (!has_rank(x, 1)) return false;
  const int64_t axis = -below(2);
  const std::string condition = op("Equal", {extent(x.name, axis, false), ints({1})}), y = fresh("v");
  onnx::NodeProto& node = ModelMaker::add_node(graph_, "If", {condition}, {y}, y);
  auto& then = body(node, "then_branch");
  auto& other = body(node, "else_branch");
  std::vector<Known> none;
  Block inside(then, random_, names_, none, depth_ + 1);
  then.add_output()->set_name(inside.op("Squeeze", {x.name, inside.ints({axis})}));
  Block outside(other, random_, names_, none, depth_ + 1);
  other.add_output()->set_name(outside.op("Identity", {x.name}));
  keep(y, x, [&](Dims& d) {
    const auto at = axis ? d.end() - 1 : d.begin();
    if (*at == 1) d.erase(at);
  });
  return true;
}

// outs = []; for i in range(n): outs.append(f(x, i)); torch.stack(outs)
bool Block::list_loop(const Known& x) {
  std::vector<int64_t> counts;
  const std::string rounds = rounds_of(x, counts);
  if (*std::min_element(counts.begin(), counts.end()) < 1 || !fits(x, [](const Dims& d) { return d.size() < 4; }))
    return false;
  const std::string empty = op("SequenceEmpty", {});
  onnx::GraphProto* graph = nullptr;
  onnx::NodeProto& node = loop(rounds, {empty}, graph);
  const std::string name = node.name(), list = fresh("l");
  node.add_output(list);
  Block inside(*graph, random_, names_, values_, depth_ + 1);
  const std::string row =
      inside.op("Add", {x.name, inside.op("Cast", {name + "i"}, [](auto& n) { set_attribute(n, "to", int64_t{1}); })});
  graph->add_output()->set_name(inside.op("SequenceInsert", {name + "s", inside.op("Tanh", {row})}));
  const std::string y = op("ConcatFromSequence", {list}, [](onnx::NodeProto& n) {
    set_attribute(n, "axis", int64_t{0});
    set_attribute(n, "new_axis", int64_t{1});
  });
  Known made{y, x.dims};
  for (size_t r = 0; r < counts.size(); r++)
    if (made.dims[r]) made.dims[r]->insert(made.dims[r]->begin(), counts[r]);
  values_.push_back(std::move(made));
  return true;
}

// A state that keeps its shape, by whatever the body makes of it and of what it captures.
bool Block::state_loop(const Known& x) {
  if (depth_ >= kMostNesting) return false;
  std::vector<int64_t> counts;
  const std::string rounds = rounds_of(x, counts);
  onnx::GraphProto* graph = nullptr;
  onnx::NodeProto& node = loop(rounds, {x.name}, graph);
  const std::string name = node.name(), last = fresh("v"), all = fresh("v");
  node.add_output(last), node.add_output(all);
  std::vector<Known> seen = values_;
  seen.push_back({name + "s", x.dims});
  Block inside(*graph, random_, names_, std::move(seen), depth_ + 1);
  inside.add_steps(1 + below(3));
  const std::string mean = inside.mean_of(inside.any());
  graph->add_output()->set_name(inside.op("Add", {name + "s", mean}));
  graph->add_output()->set_name(inside.op("Identity", {mean}));
  keep(last, x, [](Dims&) {});
  Known stacked{all, x.dims};
  for (size_t r = 0; r < counts.size(); r++)
    if (stacked.dims[r]) stacked.dims[r] = Dims{counts[r]};
  values_.push_back(std::move(stacked));
  return true;
}

// A state that grows by a row in each round, which depends on its size.
bool Block::growing_loop(const Known& x) {
  if (!is_full(x, 1)) return false;
  std::vector<int64_t> counts;
  const std::string rounds = rounds_of(x, counts);
  onnx::GraphProto* graph = nullptr;
  onnx::NodeProto& node = loop(rounds, {x.name}, graph);
  const std::string name = node.name(), last = fresh("v"), all = fresh("v");
  node.add_output(last), node.add_output(all);
  Block inside(*graph, random_, names_, values_, depth_ + 1);
  const std::string s = name + "s";
  const std::string size =
      inside.op("Cast", {inside.extent(s, 0, true)}, [](auto& n) { set_attribute(n, "to", int64_t{1}); });
  const std::string row = inside.op("Slice", {s, inside.ints({-1}), inside.ints({1 << 30}), inside.ints({0})});
  const std::string scaled = inside.op("Tanh", {inside.op("Mul", {row, size})});
  graph->add_output()->set_name(
      inside.op("Concat", {s, scaled}, [](auto& n) { set_attribute(n, "axis", int64_t{0}); }));
  graph->add_output()->set_name(inside.op("Identity", {size}));
  Known grown{last, x.dims}, sizes{all, x.dims};
  for (size_t r = 0; r < counts.size(); r++) {
    if (!x.dims[r]) continue;
    grown.dims[r]->front() += counts[r];
    sizes.dims[r] = Dims{counts[r]};
  }
  values_.push_back(std::move(grown));
  values_.push_back(std::move(sizes));
  return true;
}

// Branches on a dimension, or on an input.
bool Block::branch(const Known& x) {
  if (depth_ >= kMostNesting) return false;
  std::string condition = "flag";
  std::vector<bool> truth{true, false};
  const int64_t least = 1 + below(3);
  if (below(2) && has_rank(x, 1)) {
    condition = op("Greater", {extent(x.name, 0, true), ints({least}, true)});
    for (size_t r = 0; r < truth.size(); r++) truth[r] = x.dims[r] && x.dims[r]->front() > least;
  }
  const std::string y = fresh("v");
  onnx::NodeProto& node = ModelMaker::add_node(graph_, "If", {condition}, {y}, y);
  Known made{y, x.dims};
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& graph = body(node, name);
    std::vector<bool> here = truth;
    if (name[0] == 'e') here.flip();
    Block inside(graph, random_, names_, seen_in(values_, here), depth_ + 1);
    inside.add_steps(1 + below(3));
    const Known result = inside.values().back();
    graph.add_output()->set_name(inside.op("Identity", {result.name}));
    for (size_t r = 0; r < here.size(); r++)
      if (here[r]) made.dims[r] = result.dims[r];
  }
  for (size_t r = 0; r < truth.size(); r++)
    if (!x.dims[r]) made.dims[r].reset();
  values_.push_back(std::move(made));
  return true;
}

}  // namespace cppgen::modules
