// TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble: the scores of the trees and the results that follow
// from them, as in ONNX Runtime where the specification is silent.
#include <algorithm>
#include <limits>
#include <utility>

#include "cppgen/passes/tree_ensemble.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kMostTargets = 1 << 20;

// Constants take the type of the scores, float64 for features of float64.
ValueId like(Learner& e, const std::vector<double>& values, ValueId scores, std::vector<int64_t> dims) {
  return e.add("CastLike", {e.doubles(values, std::move(dims)), scores});
}

ValueId plus(Learner& e, ValueId scores, const std::vector<double>& base) {
  if (base.empty()) return scores;
  return e.add("Add", {scores, like(e, base, scores, {int64_t(base.size())})});
}

ValueId column(Learner& e, ValueId scores, int64_t k) {
  return e.add("Gather", {scores, e.integers({k})}, {{"axis", int64_t(1)}});
}

// --- Regression

enum Aggregate { kAverage, kSum, kMin, kMax };

ValueId aggregated(Learner& e, ValueId x, const TreeEnsemble& t, int64_t targets, Aggregate how,
                   const std::vector<double>& base) {
  if (!base.empty() && int64_t(base.size()) != targets)
    e.fail(std::to_string(base.size()) + " base_values for " + std::to_string(targets) + " targets");
  ValueId scores = add_tree_scores(e, x, t, targets, how == kMin ? 1 : how == kMax ? 2 : 0);
  if (how == kAverage) scores = e.add("Div", {scores, like(e, {double(t.roots.size())}, scores, {})});
  return plus(e, scores, base);
}

int64_t target_count(const Learner& e) {
  const int64_t targets = e.number("n_targets", 1);
  if (targets < 1 || targets > kMostTargets) e.fail("n_targets is " + std::to_string(targets));
  return targets;
}

// For a single target, only PROBIT changes the score.
bool changes(PostTransform transform, int64_t targets) {
  return transform != PostTransform::none && (targets > 1 || transform == PostTransform::probit);
}

void expand_tree_regressor(Learner& e) {
  const int64_t targets = target_count(e);
  const TreeEnsemble t = read_ensemble_of_ids(e, "target", targets);
  const auto how = Aggregate(e.choice("aggregate_function", "SUM", {"AVERAGE", "SUM", "MIN", "MAX"}));
  const PostTransform transform = post_transform(e);
  ValueId scores = aggregated(e, e.features(0, true), t, targets, how, numbers_given(e, "base_values"));
  scores = e.cast(scores, DType::f32);
  e.give({changes(transform, targets) ? transformed(e, scores, transform) : scores});
}

void expand_ensemble(Learner& e) {
  const int64_t targets = target_count(e), how = e.number("aggregate_function", kSum),
                transform = e.number("post_transform", 0);
  if (how < kAverage || how > kMax) e.fail("aggregate_function is " + std::to_string(how));
  if (transform < 0 || transform > int64_t(PostTransform::probit))
    e.fail("post_transform is " + std::to_string(transform));
  const TreeEnsemble t = read_ensemble(e, targets);
  ValueId scores = aggregated(e, e.features(0, true), t, targets, Aggregate(how), {});
  if (changes(PostTransform(transform), targets))
    scores = transformed(e, e.cast(scores, DType::f64), PostTransform(transform), DType::f64);
  e.give({e.add("CastLike", {scores, e.input(0)})});
}

// --- Classification

// Classes for which each leaf of some tree votes.
std::vector<bool> always_voted(const TreeEnsemble& t, int64_t classes) {
  std::vector<bool> always(size_t(classes), false);
  std::vector<size_t> seen(t.nodes.size(), 0);
  std::vector<int64_t> path, votes(size_t(classes), 0), voted;
  for (size_t tree = 0; tree < t.roots.size(); tree++) {
    int64_t leaves = 0;
    path = {t.roots[tree]}, voted.clear();
    while (!path.empty()) {
      const int64_t n = path.back();
      path.pop_back();
      if (std::exchange(seen[size_t(n)], tree + 1) == tree + 1) continue;
      const auto& node = t.nodes[size_t(n)];
      if (node.mode != TreeEnsemble::leaf) {
        path.insert(path.end(), {node.yes, node.no});
        continue;
      }
      leaves++;
      std::vector<int64_t> own;
      for (const auto& v : node.votes) own.push_back(v.target);
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      for (int64_t c : own)
        if (votes[size_t(c)]++ == 0) voted.push_back(c);
    }
    for (int64_t c : voted) always[size_t(c)] = always[size_t(c)] || votes[size_t(c)] == leaves, votes[size_t(c)] = 0;
  }
  return always;
}

// Scores of the classes that got a vote, the least number for the others.
ValueId of_voted(Learner& e, ValueId x, ValueId scores, TreeEnsemble t, int64_t classes) {
  const std::vector<bool> always = always_voted(t, classes);
  if (std::find(always.begin(), always.end(), false) == always.end()) return scores;
  for (auto& node : t.nodes)
    for (auto& vote : node.votes) vote.weight = 1;
  const ValueId votes = e.cast(add_tree_scores(e, x, t, classes, 0), DType::f64);
  const ValueId voted = e.add("Greater", {votes, e.doubles({0}, {})});
  return e.add("Where", {voted, scores, like(e, {-std::numeric_limits<double>::infinity()}, scores, {})});
}

struct Votes {
  bool first = false, second = false;  // for classes 0 and 1
  bool positive = true;                // no weight is negative
};

Votes votes_of(const Learner& e) {
  Votes v;
  for (int64_t id : e.ints("class_ids")) (id == 0 ? v.first : v.second) = true;
  for (double w : numbers_given(e, "class_weights")) v.positive = v.positive && w >= 0;
  return v;
}

// One score, of whichever class, decides by 0.5 or, where weights may be negative, by 0; two by the sign of the second,
// which then gives the position of the class itself.
void give_two_classes(Learner& e, const Labels& labels, ValueId scores, const std::vector<double>& base) {
  const Votes votes = votes_of(e);
  const PostTransform transform = post_transform(e);
  const bool one = votes.first != votes.second;
  ValueId first = column(e, scores, 0), second = column(e, scores, 1);
  bool both = votes.second;
  if (base.size() == 2) {
    both = true;
    if (votes.second) {
      second = plus(e, first, {base[1]});
      if (votes.first) first = e.add("Neg", {second});
    } else {
      first = plus(e, first, {base[0]});
    }
  } else if (base.size() == 1) {
    if (votes.first) first = plus(e, first, base);
  } else if (!base.empty()) {
    e.fail(std::to_string(base.size()) + " base_values for 2 classes");
  }
  const ValueId position = exceeds(e, votes.second ? second : first, one && votes.positive ? 0.5 : 0);
  const ValueId label = one || !labels.strings.empty() ? labels_at(e, labels, position) : position;
  first = e.cast(first, DType::f32), second = e.cast(second, DType::f32);
  e.give({label, both ? transformed(e, e.concat({first, second}), transform)
                      : two_columns(e, first, transform, !votes.positive)});
}

void expand_tree_classifier(Learner& e) {
  const Labels labels = labels_of(e, "classlabels_int64s");
  const int64_t classes = labels.count();
  if (classes > kMostTargets) e.fail("it has " + std::to_string(classes) + " classes");
  const TreeEnsemble t = read_ensemble_of_ids(e, "class", classes);
  const std::vector<double> base = numbers_given(e, "base_values");
  const ValueId x = e.features(0, true);
  const ValueId scores = add_tree_scores(e, x, t, classes, 0);
  if (classes == 2) return give_two_classes(e, labels, scores, base);
  if (!base.empty() && int64_t(base.size()) != classes)
    e.fail(std::to_string(base.size()) + " base_values for " + std::to_string(classes) + " classes");
  const ValueId all = plus(e, scores, base), narrow = e.cast(all, DType::f32);
  if (classes == 1) {
    const ValueId position =
        labels.strings.empty() ? exceeds(e, all, 0) : labels_at(e, labels, greatest_column(e, all));
    return e.give({position, narrow});
  }
  const ValueId candidates = base.empty() ? of_voted(e, x, all, t, classes) : all;
  e.give({labels_at(e, labels, greatest_column(e, candidates)), transformed(e, narrow, post_transform(e))});
}

}  // namespace

std::vector<LearnerRow> tree_expansions() {
  const std::string nodes =
      "base_values:floats nodes_falsenodeids:ints nodes_featureids:ints nodes_hitrates:floats "
      "nodes_missing_value_tracks_true:ints nodes_modes:strings nodes_nodeids:ints nodes_treeids:ints "
      "nodes_truenodeids:ints nodes_values:floats post_transform:string ";
  const std::string tensors =
      "base_values_as_tensor:tensor nodes_hitrates_as_tensor:tensor nodes_values_as_tensor:tensor ";
  return {
      {.name = "TreeEnsembleClassifier",
       .domain = kLearners,
       .versions = {{1, nodes + "class_ids:ints class_nodeids:ints class_treeids:ints class_weights:floats "
                                "classlabels_int64s:ints classlabels_strings:strings"},
                    {3, tensors + "class_weights_as_tensor:tensor"}},
       .expand = expand_tree_classifier},
      {.name = "TreeEnsembleRegressor",
       .domain = kLearners,
       .versions = {{1, nodes + "aggregate_function:string n_targets:int target_ids:ints target_nodeids:ints "
                                "target_treeids:ints target_weights:floats"},
                    {3, tensors + "target_weights_as_tensor:tensor"}},
       .expand = expand_tree_regressor},
      {.name = "TreeEnsemble",
       .domain = kLearners,
       .versions =
           {{5,
             "aggregate_function:int leaf_targetids:ints leaf_weights:tensor membership_values:tensor n_targets:int "
             "nodes_falseleafs:ints nodes_falsenodeids:ints nodes_featureids:ints nodes_hitrates:tensor "
             "nodes_missing_value_tracks_true:ints nodes_modes:tensor nodes_splits:tensor nodes_trueleafs:ints "
             "nodes_truenodeids:ints post_transform:int tree_roots:ints"}},
       .expand = expand_ensemble},
  };
}

}  // namespace cppgen::passes
