#include <algorithm>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/library/functions.h"
#include "runtime/library/tree_ensemble.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kLanes = kTreeLanes;
constexpr int64_t kBlockRows = 64;  // rows that go through a tree before the next tree
constexpr int kStepsAtOnce = 4;     // between two checks whether all lanes have reached a leaf

// The position of the element of a column for lane `l` (see TreeNode): in a row of its own, or in a block of kLanes
// interleaved rows, so that an address is a column plus a constant.
template <class T>
struct Rows {
  const T* of_lane[kLanes];
  T value(int64_t l, uint32_t column) const { return of_lane[l][column / kLanes]; }
};

template <class T>
struct Interleaved {
  const T* block;
  T value(int64_t l, uint32_t column) const { return block[column + uint64_t(l)]; }
};

// Takes each lane from the node that it is at to a leaf, at most `depth` steps away.
template <bool kNanChooses, class T, class Values>
void descend(const TreeNode<T>* nodes, const Values& x, uint32_t (&lanes)[kLanes], int depth) {
  const auto node = [nodes](uint32_t link) {
    return reinterpret_cast<const TreeNode<T>*>(reinterpret_cast<const char*>(nodes) +
                                                uint64_t(link) * TreeNode<T>::kLinkUnit);
  };
  uint32_t at[kLanes];  // a copy whose address is not taken, so it stays in registers
#pragma GCC unroll 8
  for (int64_t l = 0; l < kLanes; l++) at[l] = lanes[l];
  for (int done = 0; done < depth;) {
    for (const int stop = std::min(done + kStepsAtOnce, depth); done < stop; done++) {
#pragma GCC unroll 8
      for (int64_t l = 0; l < kLanes; l++) {
        const TreeNode<T>* n = node(at[l]);
        const uint32_t column = kNanChooses ? n->column & ~uint32_t(kLanes - 1) : n->column;
        const T value = x.value(l, column);
        bool second = value <= n->threshold;
        if constexpr (kNanChooses) second |= (value != value) & ((n->column & 1) != 0);
        at[l] = n->next[second];
      }
    }
    if (done == depth) break;
    bool all = true;
#pragma GCC unroll 8
    for (int64_t l = 0; l < kLanes; l++) all &= node(at[l])->next[0] == at[l];
    if (all) break;
  }
#pragma GCC unroll 8
  for (int64_t l = 0; l < kLanes; l++) lanes[l] = at[l];
}

template <class T>
class TreesTask : public LibraryTask {
 public:
  TreesTask(std::shared_ptr<const TreeEnsemble<T>> trees, const TreesCall<int64_t>& call, int64_t min_chunk_size)
      : trees_(std::move(trees)),
        rows_(call.rows),
        features_(call.features),
        targets_(call.targets),
        combine_(call.combine) {
    constexpr int64_t kWorkOfVisit = 8;
    const int64_t units = (rows_ + kLanes - 1) / kLanes;
    const double work = double(units * kLanes) * double(trees_->visits * kWorkOfVisit);
    chunks_ = chunk_count(units, int64_t(std::min(work, 1e18)), 0, 0, min_chunk_size);
    constexpr int64_t kMostInterleaved = 4096;  // features: 1 or 2 MB of scratch
    interleaves_ = rows_ >= kLanes && features_ <= std::min(kMostInterleaved, 2 * trees_->visits);
  }

  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override {
    return block_bytes() + (combine_ == TreesCombine::sum ? 0 : kBlockRows * targets_);
  }

  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override {
    const ChunkRange groups = chunk_range((rows_ + kLanes - 1) / kLanes, chunks_, chunk);
    const int64_t end = std::min(rows_, groups.end * kLanes);
    char* seen = scratch + block_bytes();
    for (int64_t row = groups.begin * kLanes; row < end; row += kBlockRows) {
      const int64_t count = std::min(kBlockRows, end - row);
      const T* x = static_cast<const T*>(buffers[kTreesX]) + row * features_;
      T* scores = static_cast<T*>(buffers[kTreesInputs]) + row * targets_;
      std::fill_n(scores, count * targets_, T(0));
      if (combine_ != TreesCombine::sum) std::fill_n(seen, count * targets_, char(0));
      const Block block{x, scores, count, reinterpret_cast<T*>(scratch), seen};
      trees_->nan_chooses ? run_block<true>(block) : run_block<false>(block);
    }
  }

 private:
  struct Block {
    const T* x;
    T* scores;
    int64_t count;  // rows
    T* interleaved;
    char* seen;
  };

  int64_t block_bytes() const { return interleaves_ ? kBlockRows * features_ * int64_t(sizeof(T)) : 0; }

  template <bool kNanChooses>
  void run_block(const Block& block) const {
    if (block.count < kLanes) return run_few<kNanChooses>(block);
    if (interleaves_) interleave(block);
    const auto trees = int64_t(trees_->roots.size());
    for (int64_t tree = 0; tree < trees; tree++)
      for (int64_t row = 0; row < block.count; row += kLanes) {
        uint32_t at[kLanes];
        std::fill_n(at, kLanes, trees_->roots[size_t(tree)]);
        const int depth = trees_->depths[size_t(tree)];
        if (interleaves_)
          descend<kNanChooses>(trees_->nodes.data(), Interleaved<T>{block.interleaved + row * features_}, at, depth);
        else
          descend<kNanChooses>(trees_->nodes.data(), rows_of(block, row), at, depth);
        for (int64_t l = 0; l < std::min(kLanes, block.count - row); l++) add(at[l], block, row + l);
      }
  }

  // Fewer rows than lanes: several trees at a time for each row.
  template <bool kNanChooses>
  void run_few(const Block& block) const {
    const auto trees = int64_t(trees_->roots.size());
    for (int64_t row = 0; row < block.count; row++)
      for (int64_t tree = 0; tree < trees; tree += kLanes) {
        Rows<T> x;
        uint32_t at[kLanes];
        int depth = 0;
        for (int64_t l = 0; l < kLanes; l++) {
          const auto own = size_t(std::min(tree + l, trees - 1));
          x.of_lane[l] = block.x + row * features_, at[l] = trees_->roots[own];
          depth = std::max(depth, trees_->depths[own]);
        }
        descend<kNanChooses>(trees_->nodes.data(), x, at, depth);
        for (int64_t l = 0; l < std::min(kLanes, trees - tree); l++) add(at[l], block, row);
      }
  }

  // The rows of kLanes lanes; lanes beyond the block's last row repeat it.
  Rows<T> rows_of(const Block& block, int64_t row) const {
    Rows<T> rows;
    for (int64_t l = 0; l < kLanes; l++) rows.of_lane[l] = block.x + std::min(row + l, block.count - 1) * features_;
    return rows;
  }

  void interleave(const Block& block) const {
    for (int64_t row = 0; row < block.count; row += kLanes) {
      const Rows<T> rows = rows_of(block, row);
      T* to = block.interleaved + row * features_;
      for (int64_t f = 0; f < features_; f++)
        for (int64_t l = 0; l < kLanes; l++) to[f * kLanes + l] = rows.of_lane[l][f];
    }
  }

  void add(uint32_t link, const Block& block, int64_t row) const {
    const int64_t leaf = TreeNode<T>::index(link);
    T* scores = block.scores + row * targets_;
    if (combine_ == TreesCombine::sum && trees_->one_vote) {
      scores[targets_ == 1 ? 0 : trees_->target_of_leaf[size_t(leaf)]] += trees_->nodes[size_t(leaf)].threshold;
      return;
    }
    char* seen = block.seen + row * targets_;
    for (int32_t v = trees_->votes[leaf]; v < trees_->votes[leaf + 1]; v++) {
      const int32_t target = trees_->targets[v];
      const T weight = trees_->weights[v];
      if (combine_ == TreesCombine::sum) {
        scores[target] += weight;
      } else {
        const bool better = combine_ == TreesCombine::min ? weight < scores[target] : weight > scores[target];
        if (better || !seen[target]) scores[target] = weight;
        seen[target] = 1;
      }
    }
  }

  std::shared_ptr<const TreeEnsemble<T>> trees_;
  int64_t rows_, features_, targets_;
  TreesCombine combine_;
  int64_t chunks_;
  bool interleaves_;  // whether rows are copied such that the lanes' elements of a feature are neighbours
};

// The ensemble of a step, made when it is bound first.
template <class T>
class Trees {
 public:
  explicit Trees(std::span<const void* const> constants) : constants_(constants.begin(), constants.end()) {}

  std::shared_ptr<const LibraryTask> bind(const TreesCall<int64_t>& call, const BoundCall& bound) {
    auto bytes = [&](int64_t columns) {
      return checked_mul(checked_mul(call.rows, columns, "trees"), int64_t(sizeof(T)), "trees");
    };
    if (call.targets < 1 || bound.bytes[kTreesX] != bytes(call.features) ||
        bound.bytes[kTreesInputs] != bytes(call.targets))
      user_error("plan: the parameters of trees do not match its buffers");
    // Checked again for other numbers of features or targets, which occur only in a damaged plan.
    if (!trees_ || call.features != features_ || call.targets != targets_) {
      trees_ = std::make_shared<TreeEnsemble<T>>(constants_, call, bound.bytes);
      features_ = call.features, targets_ = call.targets;
    }
    return std::make_shared<TreesTask<T>>(trees_, call, bound.min_chunk_size);
  }

 private:
  std::vector<const void*> constants_;
  std::shared_ptr<const TreeEnsemble<T>> trees_;
  int64_t features_ = 0, targets_ = 0;
};

class AnyTrees : public LibraryOperator {
 public:
  explicit AnyTrees(std::span<const void* const> constants) : f32_(constants), f64_(constants) {}

  std::shared_ptr<const LibraryTask> bind(const BoundCall& bound) override {
    const auto call = read_call<TreesCall<int64_t>>(kTrees, bound);
    if (call.type == DType::f32) return f32_.bind(call, bound);
    if (call.type == DType::f64) return f64_.bind(call, bound);
    user_error("plan: trees of type {}", name_of(call.type));
  }

 private:
  Trees<float> f32_;
  Trees<double> f64_;
};

}  // namespace

std::unique_ptr<LibraryOperator> create_trees(const LibraryCall& call) {
  if (call.input_count != kTreesInputs || call.output_count != 1)
    user_error("plan: trees has {} inputs and {} outputs; expected {} and 1", call.input_count, call.output_count,
               int(kTreesInputs));
  for (int i = kTreesThresholds; i < kTreesInputs; i++)
    if (!call.constants[size_t(i)]) user_error("plan: input {} of trees is not a constant", i);
  return std::make_unique<AnyTrees>(call.constants);
}

}  // namespace cppgen::rt
