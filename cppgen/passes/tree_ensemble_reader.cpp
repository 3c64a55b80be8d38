#include <algorithm>
#include <unordered_map>

#include "cppgen/passes/tree_ensemble.h"

namespace cppgen::passes {
namespace {

using Source = TreeEnsemble::Source;

struct IdHash {
  size_t operator()(const std::pair<int64_t, int64_t>& id) const {
    return std::hash<int64_t>()(id.first * 0x9E3779B97F4A7C15 + id.second);
  }
};
using PlaceOf = std::unordered_map<std::pair<int64_t, int64_t>, int64_t, IdHash>;

void require_length(const Learner& e, const char* name, size_t length, size_t wanted) {
  if (length != wanted)
    e.fail(std::string("attribute '") + name + "' has " + std::to_string(length) + " elements, not " +
           std::to_string(wanted));
}

TreeEnsemble::Mode mode_of(const Learner& e, const std::string& name) {
  static const std::unordered_map<std::string, TreeEnsemble::Mode> modes{
      {"BRANCH_LEQ", TreeEnsemble::leq}, {"BRANCH_LT", TreeEnsemble::lt}, {"BRANCH_GTE", TreeEnsemble::gte},
      {"BRANCH_GT", TreeEnsemble::gt},   {"BRANCH_EQ", TreeEnsemble::eq}, {"BRANCH_NEQ", TreeEnsemble::neq},
      {"LEAF", TreeEnsemble::leaf}};
  const auto found = modes.find(name);
  if (found == modes.end()) e.fail("attribute 'nodes_modes' has the unknown mode " + quoted(name));
  return found->second;
}

int64_t place_of(const Learner& e, const PlaceOf& places, int64_t tree, int64_t node, const char* what) {
  const auto found = places.find({tree, node});
  if (found == places.end())
    e.fail(std::string(what) + " names node " + std::to_string(node) + " of tree " + std::to_string(tree) +
           ", which does not exist");
  return found->second;
}

int32_t feature_of(const Learner& e, int64_t id) {
  if (id < 0 || id > INT32_MAX) e.fail("attribute 'nodes_featureids' has " + std::to_string(id));
  return int32_t(id);
}

// The first node of each tree that is nobody's child.
std::vector<int64_t> roots_of(const Learner& e, const TreeEnsemble& t, const std::vector<int64_t>& trees) {
  std::vector<bool> is_child(t.nodes.size(), false);
  for (const Source& s : t.nodes)
    if (s.mode != TreeEnsemble::leaf) is_child[size_t(s.yes)] = is_child[size_t(s.no)] = true;
  std::vector<int64_t> order, roots;
  std::unordered_map<int64_t, int64_t> root;
  for (size_t n = 0; n < trees.size(); n++) {
    if (root.emplace(trees[n], -1).second) order.push_back(trees[n]);
    if (!is_child[n] && root[trees[n]] < 0) root[trees[n]] = int64_t(n);
  }
  for (int64_t tree : order) {
    if (root[tree] < 0) e.fail("tree " + std::to_string(tree) + " has no root: its nodes form a cycle");
    roots.push_back(root[tree]);
  }
  return roots;
}

void read_votes(const Learner& e, TreeEnsemble& t, const PlaceOf& places, const std::string& prefix, int64_t targets) {
  auto ints = [&](const char* name) { return e.ints((prefix + name).c_str()); };
  const std::vector<int64_t> ids = ints("_ids"), trees = ints("_treeids"), nodes = ints("_nodeids");
  const std::vector<double> weights = numbers_given(e, prefix + "_weights");
  require_length(e, (prefix + "_treeids").c_str(), trees.size(), ids.size());
  require_length(e, (prefix + "_nodeids").c_str(), nodes.size(), ids.size());
  require_length(e, (prefix + "_weights").c_str(), weights.size(), ids.size());
  for (size_t v = 0; v < ids.size(); v++) {
    Source& node = t.nodes[size_t(place_of(e, places, trees[v], nodes[v], "a vote"))];
    if (ids[v] < 0 || ids[v] >= targets)
      e.fail("a vote is for " + std::to_string(ids[v]) + " of " + std::to_string(targets));
    if (node.mode == TreeEnsemble::leaf) node.votes.push_back({ids[v], weights[v]});
  }
}

}  // namespace

std::vector<double> numbers_given(const Learner& e, const std::string& name) {
  if (const std::string tensor = name + "_as_tensor"; e.has(tensor.c_str())) {
    const Tensor* t = e.tensor(tensor.c_str());
    if (!is_float(t->dtype)) e.fail("attribute '" + tensor + "' is not a tensor of floats");
    return numbers_of(*t);
  }
  const std::vector<float> list = e.floats(name.c_str());
  return {list.begin(), list.end()};
}

TreeEnsemble read_ensemble_of_ids(const Learner& e, const std::string& votes, int64_t targets) {
  const std::vector<int64_t> trees = e.ints("nodes_treeids"), ids = e.ints("nodes_nodeids"),
                             features = e.ints("nodes_featureids"), yes = e.ints("nodes_truenodeids"),
                             no = e.ints("nodes_falsenodeids"), missing = e.ints("nodes_missing_value_tracks_true");
  const std::vector<std::string> modes = e.strings("nodes_modes");
  const std::vector<double> values = numbers_given(e, "nodes_values");
  const size_t count = ids.size();
  if (count == 0) e.fail("it has no nodes");
  require_length(e, "nodes_treeids", trees.size(), count);
  require_length(e, "nodes_featureids", features.size(), count);
  require_length(e, "nodes_truenodeids", yes.size(), count);
  require_length(e, "nodes_falsenodeids", no.size(), count);
  require_length(e, "nodes_modes", modes.size(), count);
  require_length(e, "nodes_values", values.size(), count);
  if (!missing.empty()) require_length(e, "nodes_missing_value_tracks_true", missing.size(), count);
  TreeEnsemble t;
  PlaceOf places;
  for (size_t n = 0; n < count; n++)
    if (!places.emplace(std::pair(trees[n], ids[n]), int64_t(n)).second)
      e.fail("node " + std::to_string(ids[n]) + " of tree " + std::to_string(trees[n]) + " occurs twice");
  for (size_t n = 0; n < count; n++) {
    Source s{.mode = mode_of(e, modes[n])};
    if (s.mode != TreeEnsemble::leaf) {
      s.feature = feature_of(e, features[n]), s.value = values[n];
      s.missing_true = !missing.empty() && missing[n] != 0;
      s.yes = place_of(e, places, trees[n], yes[n], "attribute 'nodes_truenodeids'");
      s.no = place_of(e, places, trees[n], no[n], "attribute 'nodes_falsenodeids'");
    }
    t.nodes.push_back(std::move(s));
  }
  read_votes(e, t, places, votes, targets);
  t.roots = roots_of(e, t, trees);
  return t;
}

namespace {

// The sets that nodes of mode member test for, in their order; NaN ends a set.
std::vector<std::vector<double>> member_sets(const Learner& e) {
  std::vector<std::vector<double>> sets;
  if (!e.has("membership_values")) return sets;
  bool open = false;
  for (double v : numbers_of(*e.tensor("membership_values"))) {
    if (!open) sets.emplace_back(), open = true;
    if (v != v) {
      open = false;
    } else {
      sets.back().push_back(v);
    }
  }
  return sets;
}

std::vector<double> required_numbers(const Learner& e, const char* name) {
  const Tensor* t = e.has(name) ? e.tensor(name) : nullptr;
  if (!t || !is_float(t->dtype)) e.fail(std::string("attribute '") + name + "' is not a tensor of floats");
  return numbers_of(*t);
}

}  // namespace

TreeEnsemble read_ensemble(const Learner& e, int64_t targets) {
  const Tensor* given_modes = e.has("nodes_modes") ? e.tensor("nodes_modes") : nullptr;
  if (!given_modes || given_modes->dtype != DType::u8) e.fail("attribute 'nodes_modes' is not a tensor of uint8");
  const std::vector<int64_t> modes = integers_of(*given_modes), features = e.ints("nodes_featureids"),
                             yes = e.ints("nodes_truenodeids"), no = e.ints("nodes_falsenodeids"),
                             yes_leaf = e.ints("nodes_trueleafs"), no_leaf = e.ints("nodes_falseleafs"),
                             missing = e.ints("nodes_missing_value_tracks_true"),
                             leaf_targets = e.ints("leaf_targetids");
  const std::vector<double> splits = required_numbers(e, "nodes_splits"), weights = required_numbers(e, "leaf_weights");
  const size_t count = features.size();
  require_length(e, "nodes_modes", modes.size(), count);
  require_length(e, "nodes_splits", splits.size(), count);
  require_length(e, "nodes_truenodeids", yes.size(), count);
  require_length(e, "nodes_falsenodeids", no.size(), count);
  require_length(e, "nodes_trueleafs", yes_leaf.size(), count);
  require_length(e, "nodes_falseleafs", no_leaf.size(), count);
  require_length(e, "leaf_weights", weights.size(), leaf_targets.size());
  if (!missing.empty()) require_length(e, "nodes_missing_value_tracks_true", missing.size(), count);
  const std::vector<std::vector<double>> sets = member_sets(e);
  auto child = [&](int64_t id, bool is_leaf, const char* what) {
    const size_t limit = is_leaf ? weights.size() : count;
    if (id < 0 || uint64_t(id) >= limit)
      e.fail(std::string("attribute '") + what + "' has " + std::to_string(id) + ", of " + std::to_string(limit));
    return id + (is_leaf ? int64_t(count) : 0);
  };
  TreeEnsemble t;
  size_t next_set = 0;
  for (size_t n = 0; n < count; n++) {
    if (modes[n] < 0 || modes[n] > TreeEnsemble::member)
      e.fail("attribute 'nodes_modes' has " + std::to_string(modes[n]));
    Source s{.mode = TreeEnsemble::Mode(modes[n]), .feature = feature_of(e, features[n]), .value = splits[n]};
    s.missing_true = !missing.empty() && missing[n] != 0;
    s.yes = child(yes[n], yes_leaf[n] != 0, "nodes_truenodeids");
    s.no = child(no[n], no_leaf[n] != 0, "nodes_falsenodeids");
    if (s.mode == TreeEnsemble::member) {
      if (next_set >= sets.size()) e.fail("attribute 'membership_values' has too few sets");
      s.members = sets[next_set++];
    }
    t.nodes.push_back(std::move(s));
  }
  for (size_t n = 0; n < weights.size(); n++) {
    if (leaf_targets[n] < 0 || leaf_targets[n] >= targets)
      e.fail("a leaf is for target " + std::to_string(leaf_targets[n]) + " of " + std::to_string(targets));
    t.nodes.push_back({.votes = {{leaf_targets[n], weights[n]}}});
  }
  for (int64_t root : e.ints("tree_roots")) t.roots.push_back(child(root, false, "tree_roots"));
  if (t.roots.empty()) e.fail("it has no trees");
  return t;
}

}  // namespace cppgen::passes
