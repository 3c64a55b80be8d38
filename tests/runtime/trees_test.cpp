#include "runtime/plan/calls/trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/library/functions.h"

namespace cppgen::rt {
namespace {

// Two trees over two features. Node 0: x0 <= 1 ? node 2 : node 1, NaN to node 2. Node 3: x1 <= 0 ? node 5 : node 4.
struct Ensemble {
  std::vector<float> thresholds{1, 0, 0, 0, 0, 0};
  std::vector<int32_t> links{0, 1, 2, 1, 0, 1, 1, 0, 0, 2, 2, 0, 1, 4, 5, 0, 0, 4, 4, 0, 0, 5, 5, 0};
  std::vector<int32_t> roots{0, 3}, votes{0, 0, 1, 2, 2, 3, 4}, targets{0, 1, 0, 1};
  std::vector<float> weights{1, 2, 4, -8};
  int64_t features = 2;

  std::vector<float> scores(const std::vector<float>& x, TreesCombine combine) const {
    const std::vector<const void*> constants{nullptr,      thresholds.data(), links.data(),   roots.data(),
                                             votes.data(), targets.data(),    weights.data(), nullptr};
    const auto op = create_trees({kTrees, 7, 1, constants});
    const auto rows = int64_t(x.size()) / features;
    std::vector<float> y(size_t(rows * 2), -1);
    const auto bytes = [](const auto& v) { return int64_t(v.size() * sizeof(v[0])); };
    const std::vector<int64_t> sizes{bytes(x),     bytes(thresholds), bytes(links),   bytes(roots),
                                     bytes(votes), bytes(targets),    bytes(weights), bytes(y)};
    const auto fields = flat_fields<int64_t>(TreesCall<int64_t>{DType::f32, rows, features, 2, combine});
    const auto task = op->bind({fields.integers, sizes, 1});
    std::vector<char> scratch(size_t(task->scratch_bytes()));
    std::vector<void*> buffers{const_cast<float*>(x.data())};
    for (size_t i = 1; i < 7; i++) buffers.push_back(const_cast<void*>(constants[i]));
    buffers.push_back(y.data());
    for (int64_t chunk = task->chunks(); chunk-- > 0;) task->run(buffers, chunk, scratch.data());
    return y;
  }
};

std::vector<float> some_rows(int64_t count) {
  std::vector<float> x;
  for (int64_t i = 0; i < count; i++) x.insert(x.end(), {float(i % 3), float(i % 5) - 2});
  return x;
}

TEST(Trees, EveryNumberOfRows) {
  const Ensemble e;
  for (int64_t count : {1, 2, 7, 8, 9, 63, 64, 65, 1000}) {
    const std::vector<float> x = some_rows(count), y = e.scores(x, TreesCombine::sum);
    for (size_t row = 0; row < size_t(count); row++) {
      const bool first = x[2 * row] <= 1, second = x[2 * row + 1] <= 0;
      EXPECT_EQ(y[2 * row], (first ? 0 : 1) + (second ? 0 : 4)) << row << " of " << count;
      EXPECT_EQ(y[2 * row + 1], (first ? 2 : 0) + (second ? -8 : 0)) << row << " of " << count;
    }
  }
}

TEST(Trees, NanGoesWhereTheNodeSays) {
  const float nan = std::nanf("");
  const std::vector<float> y = Ensemble().scores({nan, nan}, TreesCombine::sum);
  EXPECT_EQ(y, (std::vector<float>{4, 2}));
}

TEST(Trees, NanInManyRows) {
  const std::vector<float> y = Ensemble().scores(std::vector<float>(2 * 70, std::nanf("")), TreesCombine::sum);
  for (size_t row = 0; row < 70; row++) {
    EXPECT_EQ(y[2 * row], 4) << row;
    EXPECT_EQ(y[2 * row + 1], 2) << row;
  }
}

// There are so many features that rows are read where they lie.
TEST(Trees, ManyFeatures) {
  Ensemble wide;
  wide.features = 100;
  const int64_t count = 70;
  const std::vector<float> narrow_rows = some_rows(count);
  std::vector<float> rows(size_t(count * wide.features), 7);
  for (int64_t row = 0; row < count; row++)
    for (int64_t f = 0; f < 2; f++) rows[size_t(row * wide.features + f)] = narrow_rows[size_t(2 * row + f)];
  for (TreesCombine combine : {TreesCombine::sum, TreesCombine::min})
    EXPECT_EQ(wide.scores(rows, combine), Ensemble().scores(narrow_rows, combine));
}

TEST(Trees, LeastAndGreatest) {
  const Ensemble e;
  EXPECT_EQ(e.scores({0, 0, 2, 1}, TreesCombine::min), (std::vector<float>{0, -8, 1, 0}));
  EXPECT_EQ(e.scores({0, 0, 2, 1}, TreesCombine::max), (std::vector<float>{0, 2, 4, 0}));
}

TEST(Trees, DamagedConstantsAreRefused) {
  const std::function<void(Ensemble&)> damages[] = {
      [](Ensemble& e) { e.links[1] = 6; },          [](Ensemble& e) { e.links[1] = -1; },
      [](Ensemble& e) { e.links[13] = 0; },         [](Ensemble& e) { e.links[0] = 2; },
      [](Ensemble& e) { e.links[0] = -1; },         [](Ensemble& e) { e.roots[1] = 6; },
      [](Ensemble& e) { e.roots[0] = -1; },         [](Ensemble& e) { e.votes[2] = 9; },
      [](Ensemble& e) { e.votes[3] = 0; },          [](Ensemble& e) { e.targets[3] = 2; },
      [](Ensemble& e) { e.targets[0] = -1; },       [](Ensemble& e) { e.weights.pop_back(); },
      [](Ensemble& e) { e.thresholds.pop_back(); }, [](Ensemble& e) { e.votes = {0, 1, 1, 2, 2, 3, 4}; }};
  for (size_t i = 0; i < std::size(damages); i++) {
    Ensemble e;
    damages[i](e);
    EXPECT_THROW(e.scores({0, 0}, TreesCombine::sum), UserError) << "damage " << i;
  }
}

}  // namespace
}  // namespace cppgen::rt
