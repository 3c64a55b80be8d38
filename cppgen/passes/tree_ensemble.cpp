#include "cppgen/passes/tree_ensemble.h"

#include <algorithm>
#include <cmath>

namespace cppgen::passes {
namespace {

using Source = TreeEnsemble::Source;

// Visits all nodes that can be reached from one, and appends them to `order`, each after its children.
class Visit {
 public:
  Visit(const Learner& e, const TreeEnsemble& t) : e_(e), t_(t), state_(t.nodes.size(), fresh) {}

  void from(int64_t root) {
    path_ = {root};
    while (!path_.empty()) {
      const int64_t n = path_.back();
      if (state_[size_t(n)] == fresh) {
        enter(n);
      } else {
        path_.pop_back();
        if (state_[size_t(n)] == open) order.push_back(n);
        state_[size_t(n)] = done;
      }
    }
  }

  std::vector<int64_t> order;

 private:
  enum State : uint8_t { fresh, open, done };

  void enter(int64_t n) {
    state_[size_t(n)] = open;
    const Source& s = t_.nodes[size_t(n)];
    if (s.mode == TreeEnsemble::leaf) return;
    for (int64_t child : {s.yes, s.no}) {
      if (state_[size_t(child)] == open) e_.fail("the nodes of a tree form a cycle");
      if (state_[size_t(child)] == fresh) path_.push_back(child);
    }
  }

  const Learner& e_;
  const TreeEnsemble& t_;
  std::vector<State> state_;
  std::vector<int64_t> path_;
};

// All nodes that can be reached from a root, each before its children; the nodes of a tree are contiguous.
std::vector<int64_t> order_of_targets(const Learner& e, const TreeEnsemble& t) {
  Visit visit(e, t);
  for (size_t r = t.roots.size(); r-- > 0;) visit.from(t.roots[r]);
  std::vector<int64_t> order(visit.order.rbegin(), visit.order.rend());
  for (size_t n = 0; n < t.nodes.size(); n++) visit.from(int64_t(n));  // nodes of no tree must not form a cycle either
  return order;
}

// The arrays of TreeScores. Every test becomes x <= threshold or x < threshold: a set of numbers a test for each of
// them, and x == number the two tests x <= number and x < number.
struct Arrays {
  std::vector<double> thresholds;
  std::vector<uint8_t> strict;
  std::vector<int32_t> links, votes{0}, targets;
  std::vector<double> weights;
  int64_t votes_of_leaf = 1;

  int32_t count() const { return int32_t(thresholds.size()); }
  // `second` is where the test leads if it holds.
  void add(int64_t feature, double threshold, bool is_strict, int64_t first, int64_t second, bool missing_second) {
    thresholds.push_back(threshold), strict.push_back(is_strict);
    for (int64_t part : {feature, first, second, int64_t(missing_second)}) links.push_back(int32_t(part));
    votes.push_back(int32_t(targets.size()));
  }
  void add_leaf(const std::vector<TreeEnsemble::Vote>& given) {
    for (const auto& v : given) targets.push_back(int32_t(v.target)), weights.push_back(v.weight);
    votes_of_leaf = std::max(votes_of_leaf, int64_t(given.size()));
    add(0, 0, false, count(), count(), false);
  }
  void add_equal(int64_t feature, double value, int64_t yes, int64_t no, bool missing_yes) {
    add(feature, value, false, no, count() + 1, missing_yes);
    add(feature, value, true, yes, no, false);
  }
};

int64_t size_of_source(const Source& s) {
  if (s.mode == TreeEnsemble::member) return std::max<int64_t>(1, 2 * int64_t(s.members.size()));
  return s.mode == TreeEnsemble::eq || s.mode == TreeEnsemble::neq ? 2 : 1;
}

void add_source(Arrays& a, const Source& s, int64_t yes, int64_t no) {
  switch (s.mode) {
    case TreeEnsemble::leaf:
      return a.add_leaf(s.votes);
    case TreeEnsemble::leq:
    case TreeEnsemble::lt:
      return a.add(s.feature, s.value, s.mode == TreeEnsemble::lt, no, yes, s.missing_true);
    case TreeEnsemble::gte:
    case TreeEnsemble::gt:
      if (std::isnan(s.value)) return a.add(s.feature, s.value, false, no, yes, s.missing_true);  // is never true
      return a.add(s.feature, s.value, s.mode == TreeEnsemble::gte, yes, no, !s.missing_true);
    case TreeEnsemble::eq:
      return a.add_equal(s.feature, s.value, yes, no, s.missing_true);
    case TreeEnsemble::neq:
      if (std::isnan(s.value)) return a.add(s.feature, s.value, false, yes, yes, false), a.add_leaf({});
      // NaN differs from all numbers.
      return a.add_equal(s.feature, s.value, no, yes, false);
    case TreeEnsemble::member:
      if (s.members.empty()) return a.add(s.feature, 0, false, no, no, false);
      for (size_t m = 0; m < s.members.size(); m++) {
        const bool last = m + 1 == s.members.size();
        a.add_equal(s.feature, s.members[m], yes, last ? no : a.count() + 2, m == 0 && s.missing_true);
      }
  }
}

template <class T>
Tensor tensor_of_list(DType type, std::vector<int64_t> dims, const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return make_tensor(type, std::move(dims), {first, first + values.size() * sizeof(T)});
}

// Steps from any root to the farthest leaf.
int64_t depth_of(const Arrays& a) {
  std::vector<int64_t> height(size_t(a.count()), 0);
  for (size_t n = height.size(); n-- > 0;) {
    const int32_t *link = &a.links[4 * n], first = link[1], second = link[2];
    if (size_t(first) != n) height[n] = 1 + std::max(height[size_t(first)], height[size_t(second)]);
  }
  return height.empty() ? 0 : *std::max_element(height.begin(), height.end());
}

}  // namespace

ValueId add_tree_scores(Learner& e, ValueId x, const TreeEnsemble& t, int64_t targets, int64_t combine) {
  const std::vector<int64_t> order = order_of_targets(e, t);
  std::vector<int64_t> place(t.nodes.size(), -1);
  int64_t count = 0;
  for (int64_t n : order) place[size_t(n)] = count, count += size_of_source(t.nodes[size_t(n)]);
  if (count >= INT32_MAX / 4) e.fail("it has too many nodes");
  Arrays a;
  for (int64_t n : order) {
    const Source& s = t.nodes[size_t(n)];
    const bool leaf = s.mode == TreeEnsemble::leaf;
    add_source(a, s, leaf ? -1 : place[size_t(s.yes)], leaf ? -1 : place[size_t(s.no)]);
  }
  std::vector<int32_t> roots;
  for (int64_t r : t.roots) roots.push_back(int32_t(place[size_t(r)]));
  if (a.targets.empty()) a.targets.push_back(0), a.weights.push_back(0);  // which no leaf gives
  const int64_t depth = depth_of(a), votes = int64_t(a.targets.size());
  return e.add("TreeScores", {x},
               {{"thresholds", make_floats(DType::f64, {count}, a.thresholds)},
                {"strict", tensor_of_list(DType::u8, {count}, a.strict)},
                {"links", tensor_of_list(DType::i32, {count, 4}, a.links)},
                {"roots", tensor_of_list(DType::i32, {int64_t(roots.size())}, roots)},
                {"votes", tensor_of_list(DType::i32, {count + 1}, a.votes)},
                {"targets", tensor_of_list(DType::i32, {votes}, a.targets)},
                {"weights", make_floats(DType::f64, {votes}, a.weights)},
                {"depth", depth},
                {"votes_of_leaf", a.votes_of_leaf},
                {"targets_count", targets},
                {"combine", combine}},
               kOwn);
}

}  // namespace cppgen::passes
