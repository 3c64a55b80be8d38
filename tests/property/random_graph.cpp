#include "tests/property/random_graph.h"

#include <algorithm>
#include <set>

#include "cppgen/graph/users.h"
#include "runtime/base/errors.h"
#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

std::vector<Step> all_steps() {
  std::vector<Step> steps;
  add_pointwise_steps(steps), add_exact_steps(steps), add_movement_steps(steps), add_selection_steps(steps);
  add_reduction_steps(steps), add_contraction_steps(steps);
  return steps;
}

// Some graphs are mostly of one kind: what fuses best is found only in long runs of it.
void bias(std::vector<Step>& steps, Builder& b) {
  if (b.chance(0.4)) return;
  size_t from = size_t(b.uniform(0, int64_t(steps.size()) - 1));
  for (size_t i = 0; i < 10; i++) steps[(from + i) % steps.size()].weight *= 4;
}

void add_inputs(Builder& b) {
  static const std::vector<DType> types{DType::f32, DType::f32, DType::f32, DType::f32,    DType::f32,
                                        DType::f32, DType::f64, DType::f16, DType::bf16,   DType::i8,
                                        DType::i32, DType::i64, DType::u8,  DType::boolean};
  bool symbolic = b.chance(0.35);
  Shape first = b.random_shape(b.chance(0.5) ? 4 : 1);
  if (symbolic) {
    first[0] = b.graph().index->symbol("N");
    b.result.symbol_value = b.any_of(std::vector<int64_t>{1, 2, 3, 5, 7, 8, 16, 17, 33});
    while (b.elements(first) > kMostElements) {
      size_t d = size_t(b.uniform(1, int64_t(first.size()) - 1));
      first[d] = (first[d].constant() + 1) / 2;
    }
  }
  b.input(DType::f32, first, {});
  for (int64_t n = b.uniform(0, 3); n-- > 0;) {
    DType t = b.any_of(types);
    InputRange range = is_float(t) ? InputRange{} : is_unsigned_int(t) ? InputRange{0, 200} : InputRange{-100, 100};
    b.input(t, b.chance(0.6) ? first : b.random_shape(1), range);
  }
}

// All values that no node reads, and some of the others.
void choose_outputs(Builder& b) {
  const Users users(b.graph());
  for (const Value& v : b.graph().values)
    if (v.producer >= 0 && v.type && (users.count(v.id) == 0 || b.chance(0.05))) b.graph().outputs.push_back(v.id);
}

bool too_large(Builder& b, size_t first_new) {
  for (size_t v = first_new; v < b.graph().values.size(); v++)
    if (b.graph().values[v].type && b.elements(b.graph().values[v].type->shape) > 3 * kMostElements) return true;
  return false;
}

// The nodes that an output needs, by id.
std::vector<bool> needed_nodes(const Graph& g) {
  std::vector<bool> needed(g.nodes.size(), false);
  std::set<ValueId> wanted(g.outputs.begin(), g.outputs.end());
  for (size_t i = g.nodes.size(); i-- > 0;) {
    const Node& n = g.nodes[i];
    needed[i] = std::any_of(n.outputs.begin(), n.outputs.end(), [&](ValueId v) { return wanted.count(v) != 0; });
    if (needed[i]) wanted.insert(n.inputs.begin(), n.inputs.end());
  }
  return needed;
}

// Values keep their ids; nodes are numbered anew.
RandomGraph pruned(RandomGraph r, NodeId removed) {
  Graph& g = r.graph;
  if (removed >= 0) {
    for (ValueId v : g.nodes[size_t(removed)].outputs) {
      if (v == kNoValue) continue;
      std::erase(g.outputs, v);
      g.inputs.push_back(v);
    }
    g.nodes[size_t(removed)].outputs.clear();
  }
  auto needed = needed_nodes(g);
  std::vector<Node> kept;
  for (size_t i = 0; i < g.nodes.size(); i++)
    if (needed[i]) kept.push_back(g.nodes[i]);
  g.nodes = std::move(kept);
  for (Value& v : g.values) v.producer = -1;
  std::set<ValueId> used;
  for (size_t i = 0; i < g.nodes.size(); i++) {
    g.nodes[i].id = NodeId(i);
    for (ValueId v : g.nodes[i].outputs)
      if (v != kNoValue) g.value(v).producer = NodeId(i);
    used.insert(g.nodes[i].inputs.begin(), g.nodes[i].inputs.end());
  }
  std::erase_if(g.inputs, [&](ValueId v) { return !used.count(v); });
  for (Value& v : g.values)
    if (!used.count(v.id)) v.constant.reset(), v.contents.reset();
  return r;
}

}  // namespace

RandomGraph make_random_graph(uint64_t seed) {
  Builder b(seed);
  auto steps = all_steps();
  bias(steps, b);
  std::vector<double> weights;
  for (const Step& s : steps) weights.push_back(s.weight);
  std::discrete_distribution<size_t> choose(weights.begin(), weights.end());
  add_inputs(b);
  b.result.special_values = b.chance(0.1);
  size_t wanted = size_t(b.uniform(10, 24));
  for (int attempt = 0; b.graph().nodes.size() < wanted && attempt < 300; attempt++) {
    RandomGraph before = b.result;
    size_t values = b.graph().values.size();
    bool good = false;
    try {
      good = steps[choose(b.random)].append(b) && !too_large(b, values);
    } catch (const UserError&) {  // a shape that this operator does not take
    }
    if (!good) b.result = std::move(before);
  }
  choose_outputs(b);
  return pruned(std::move(b.result), -1);
}

RandomGraph without_node(const RandomGraph& r, NodeId id) { return pruned(r, id); }

RandomGraph with_output(const RandomGraph& r, ValueId output) {
  RandomGraph copy = r;
  copy.graph.outputs = {output};
  return pruned(std::move(copy), -1);
}

}  // namespace cppgen::property
