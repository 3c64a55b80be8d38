#include "runtime/library/trees.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/base/dtype.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

enum Input { kX, kThresholds, kLinks, kRoots, kVotes, kTargets, kWeights, kInputs };

constexpr int64_t kLanes = 8;       // descents side by side, so that one need not wait for another's loads
constexpr int64_t kBlockRows = 64;  // rows that go through a tree before the next tree
constexpr int kStepsAtOnce = 4;     // between two looks at whether all lanes have reached a leaf

// What a descent reads of a node. In a leaf both links lead to itself.
template <class T>
struct Node {
  T threshold;  // of a leaf with one vote: its weight
  int32_t feature;
  int32_t next[2];
};

template <class T>
struct Ensemble {
  std::vector<Node<T>> nodes;
  std::vector<uint8_t> missing;  // which link NaN takes; empty if that is never the second
  std::vector<int32_t> roots, target_of_leaf;
  std::vector<int> depths;  // of each tree
  const int32_t *votes, *targets;
  const T* weights;
  int64_t visits = 0;    // nodes on the longest ways of all trees
  bool one_vote = true;  // each leaf has exactly one

  Ensemble(const LibraryCall& call, const BoundCall& bound);

 private:
  void check_node(int64_t node, int64_t features, const int32_t* link) const;
};

int64_t elements(const BoundCall& call, Input input, size_t size) {
  if (call.bytes[input] % int64_t(size) != 0) user_error("plan: input {} of trees has an odd size", int(input));
  return call.bytes[input] / int64_t(size);
}

template <class T>
void Ensemble<T>::check_node(int64_t node, int64_t features, const int32_t* link) const {
  const auto count = int64_t(nodes.size());
  const bool leaf = link[1] == node && link[2] == node;
  for (int k : {1, 2})
    if (link[k] >= count || (!leaf && link[k] <= node))
      user_error("plan: node {} of trees has the child {} of {} nodes", node, link[k], count);
  if (!leaf && (link[0] < 0 || link[0] >= features))
    user_error("plan: node {} of trees asks for feature {} of {}", node, link[0], features);
  if (!leaf && votes[node] != votes[node + 1]) user_error("plan: node {} of trees votes but is no leaf", node);
}

template <class T>
Ensemble<T>::Ensemble(const LibraryCall& call, const BoundCall& bound)
    : votes(static_cast<const int32_t*>(call.constants[kVotes])),
      targets(static_cast<const int32_t*>(call.constants[kTargets])),
      weights(static_cast<const T*>(call.constants[kWeights])) {
  const int64_t count = elements(bound, kThresholds, sizeof(T)), vote_count = elements(bound, kWeights, sizeof(T));
  if (elements(bound, kLinks, sizeof(int32_t)) != 4 * count || elements(bound, kVotes, sizeof(int32_t)) != count + 1 ||
      elements(bound, kTargets, sizeof(int32_t)) != vote_count)
    user_error("plan: the constants of trees have sizes that do not agree");
  for (int64_t n = 0; n <= count; n++)
    if (votes[n] < (n ? votes[n - 1] : 0) || votes[n] > vote_count)
      user_error("plan: the votes of trees are not in order");
  for (int64_t v = 0; v < vote_count; v++)
    if (targets[v] < 0 || targets[v] >= bound.params[kTreesTargets])
      user_error("plan: trees vote for target {} of {}", targets[v], bound.params[kTreesTargets]);
  const auto* thresholds = static_cast<const T*>(call.constants[kThresholds]);
  const auto* links = static_cast<const int32_t*>(call.constants[kLinks]);
  const auto* starts = static_cast<const int32_t*>(call.constants[kRoots]);
  roots.assign(starts, starts + elements(bound, kRoots, sizeof(int32_t)));
  nodes.resize(size_t(count)), target_of_leaf.resize(size_t(count));
  std::vector<int> height(size_t(count), 0);
  missing.resize(size_t(count));
  for (int64_t n = count; n-- > 0;) {
    const int32_t* link = links + 4 * n;
    check_node(n, bound.params[kTreesFeatures], link);
    const bool leaf = link[1] == n;
    nodes[size_t(n)] = {thresholds[n], leaf ? 0 : link[0], {link[1], link[2]}};
    missing[size_t(n)] = link[3] != 0;
    if (!leaf) {
      height[size_t(n)] = 1 + std::max(height[size_t(link[1])], height[size_t(link[2])]);
    } else if (votes[n + 1] - votes[n] == 1) {
      nodes[size_t(n)].threshold = weights[votes[n]], target_of_leaf[size_t(n)] = targets[votes[n]];
    } else {
      one_vote = false;
    }
  }
  for (int32_t root : roots) {
    if (root < 0 || root >= count) user_error("plan: a tree begins at node {} of {}", root, count);
    depths.push_back(height[size_t(root)]);
    visits += depths.back() + 1;
  }
  if (std::find(missing.begin(), missing.end(), 1) == missing.end()) missing.clear();
}

// Takes each lane from the node that it is at to a leaf, at most `depth` steps away.
template <bool kMissing, class T>
void descend(const Ensemble<T>& trees, const T* const* rows, int32_t* at, int depth) {
  const Node<T>* nodes = trees.nodes.data();
  const uint8_t* missing = trees.missing.data();
  for (int done = 0; done < depth; done += kStepsAtOnce) {
    for (int step = 0; step < kStepsAtOnce; step++)
      for (int64_t l = 0; l < kLanes; l++) {
        const Node<T>& node = nodes[at[l]];
        const T x = rows[l][node.feature];
        bool second = x <= node.threshold;
        if constexpr (kMissing) second |= (x != x) & (missing[at[l]] != 0);
        at[l] = node.next[second];
      }
    bool all = true;
    for (int64_t l = 0; l < kLanes; l++) all &= nodes[at[l]].next[0] == at[l];
    if (all) return;
  }
}

template <class T>
class TreesTask : public LibraryTask {
 public:
  TreesTask(std::shared_ptr<const Ensemble<T>> trees, const BoundCall& call)
      : trees_(std::move(trees)),
        rows_(call.params[kTreesRows]),
        features_(call.params[kTreesFeatures]),
        targets_(call.params[kTreesTargets]),
        combine_(TreesCombine(call.params[kTreesCombine])) {
    constexpr int64_t kWorkOfVisit = 8;
    const int64_t units = (rows_ + kLanes - 1) / kLanes;
    const double work = double(units * kLanes) * double(trees_->visits * kWorkOfVisit);
    chunks_ = chunk_count(units, int64_t(std::min(work, 1e18)), 0, 0, call.min_chunk_size);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return combine_ == TreesCombine::sum ? 0 : kBlockRows * targets_; }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    const ChunkRange groups = chunk_range((rows_ + kLanes - 1) / kLanes, chunks_, chunk);
    const int64_t end = std::min(rows_, groups.end * kLanes);
    for (int64_t row = groups.begin * kLanes; row < end; row += kBlockRows) {
      const int64_t count = std::min(kBlockRows, end - row);
      const T* x = static_cast<const T*>(buffers[kX]) + row * features_;
      T* scores = static_cast<T*>(buffers[kInputs]) + row * targets_;
      std::fill_n(scores, count * targets_, T(0));
      if (scratch_bytes()) std::fill_n(scratch, count * targets_, char(0));
      trees_->missing.empty() ? run_block<false>(x, scores, count, scratch)
                              : run_block<true>(x, scores, count, scratch);
    }
  }

 private:
  // Fewer rows than lanes: several trees side by side for each row, else several rows for each tree.
  template <bool kMissing>
  void run_block(const T* x, T* scores, int64_t count, char* seen) const {
    const auto trees = int64_t(trees_->roots.size());
    const T* rows[kLanes];
    int32_t at[kLanes];
    for (int64_t row = 0; row < count && count < kLanes; row++)
      for (int64_t tree = 0; tree < trees; tree += kLanes) {
        int depth = 0;
        for (int64_t l = 0; l < kLanes; l++) {
          const auto own = size_t(std::min(tree + l, trees - 1));
          rows[l] = x + row * features_, at[l] = trees_->roots[own];
          depth = std::max(depth, trees_->depths[own]);
        }
        descend<kMissing>(*trees_, rows, at, depth);
        for (int64_t l = 0; l < std::min(kLanes, trees - tree); l++) add(at[l], scores, seen, row);
      }
    for (int64_t tree = 0; tree < trees && count >= kLanes; tree++)
      for (int64_t row = 0; row < count; row += kLanes) {
        for (int64_t l = 0; l < kLanes; l++)
          rows[l] = x + std::min(row + l, count - 1) * features_, at[l] = trees_->roots[size_t(tree)];
        descend<kMissing>(*trees_, rows, at, trees_->depths[size_t(tree)]);
        for (int64_t l = 0; l < std::min(kLanes, count - row); l++) add(at[l], scores, seen, row + l);
      }
  }

  void add(int32_t leaf, T* scores, char* seen, int64_t row) const {
    if (combine_ == TreesCombine::sum && trees_->one_vote) {
      scores[row * targets_ + trees_->target_of_leaf[size_t(leaf)]] += trees_->nodes[size_t(leaf)].threshold;
      return;
    }
    for (int32_t v = trees_->votes[leaf]; v < trees_->votes[leaf + 1]; v++) {
      const int64_t place = row * targets_ + trees_->targets[v];
      const T weight = trees_->weights[v];
      if (combine_ == TreesCombine::sum) {
        scores[place] += weight;
      } else {
        const bool better = combine_ == TreesCombine::min ? weight < scores[place] : weight > scores[place];
        if (better || !seen[place]) scores[place] = weight;
        seen[place] = 1;
      }
    }
  }

  std::shared_ptr<const Ensemble<T>> trees_;
  int64_t rows_, features_, targets_;
  TreesCombine combine_;
  int64_t chunks_;
};

template <class T>
class Trees : public LibraryOperator {
 public:
  explicit Trees(const LibraryCall& call) : constants_(call.constants.begin(), call.constants.end()) {}

  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    const int64_t rows = call.params[kTreesRows], features = call.params[kTreesFeatures],
                  targets = call.params[kTreesTargets];
    auto bytes = [&](int64_t columns) {
      return checked_mul(checked_mul(rows, columns, "trees"), int64_t(sizeof(T)), "trees");
    };
    if (rows < 0 || features < 0 || targets < 1 || call.bytes[kX] != bytes(features) ||
        call.bytes[kInputs] != bytes(targets) || call.params[kTreesCombine] < 0 ||
        call.params[kTreesCombine] > int64_t(TreesCombine::max))
      user_error("plan: the parameters of trees do not agree with its buffers");
    // Checked anew for other numbers of features or targets, which only a damaged plan has.
    if (!trees_ || features != features_ || targets != targets_) {
      LibraryCall own;
      own.constants = constants_;
      trees_ = std::make_shared<Ensemble<T>>(own, call);
      features_ = features, targets_ = targets;
    }
    return std::make_shared<TreesTask<T>>(trees_, call);
  }

 private:
  std::vector<const void*> constants_;
  std::shared_ptr<const Ensemble<T>> trees_;
  int64_t features_ = 0, targets_ = 0;
};

class AnyTrees : public LibraryOperator {
 public:
  explicit AnyTrees(const LibraryCall& call) : f32_(call), f64_(call) {}

  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    if (call.params.size() != kTreesParams) user_error("plan: trees has {} parameters", call.params.size());
    if (call.params[kTreesDType] == int64_t(DType::f32)) return f32_.bind(call);
    if (call.params[kTreesDType] == int64_t(DType::f64)) return f64_.bind(call);
    user_error("plan: trees of type {}", call.params[kTreesDType]);
  }

 private:
  Trees<float> f32_;
  Trees<double> f64_;
};

}  // namespace

std::unique_ptr<LibraryOperator> create_trees(const LibraryCall& call) {
  if (call.input_count != kInputs || call.output_count != 1)
    user_error("plan: trees has {} inputs and {} outputs; expected {} and 1", call.input_count, call.output_count,
               int(kInputs));
  for (int i = kThresholds; i < kInputs; i++)
    if (!call.constants[size_t(i)]) user_error("plan: input {} of trees is no constant", i);
  return std::make_unique<AnyTrees>(call);
}

}  // namespace cppgen::rt
