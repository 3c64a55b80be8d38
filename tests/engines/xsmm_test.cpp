// The runtime's xsmm.contraction against plain loops in double, and the independence of its cuts.
#include "runtime/plan/calls/xsmm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/base/errors.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::rt {
namespace {

using Problem = XsmmCall<int64_t>;  // a stride of rows that is 0 stands for dense rows

int64_t panels_of(const Problem& p) { return (p.columns + kXsmmPanelColumns - 1) / kXsmmPanelColumns; }

int64_t tap_count(const Problem& p) {
  int64_t count = 1;
  for (const auto& t : p.taps) count *= t.extent;
  return count;
}

Problem with_rows(Problem p) {
  if (p.left_row == 0) p.left_row = p.k;
  if (p.out_row == 0) p.out_row = p.columns;
  return p;
}

std::vector<int64_t> params_of(const Problem& p) { return flat_fields<int64_t>(with_rows(p)).integers; }

struct Memory {
  std::vector<float> left, panels, out;
};

// Memory of the sizes that the parameters reach; the output is NaN.
Memory memory_of(const Problem& p) {
  const Problem rows = with_rows(p);
  int64_t left = p.left_start + std::max<int64_t>(p.rows - 1, 0) * rows.left_row + p.k, batches = 1;
  int64_t out = std::max<int64_t>(p.rows - 1, 0) * rows.out_row + p.columns;
  for (const auto& o : p.outer) {
    left += (o.extent - 1) * o.left, batches += (o.extent - 1) * o.batch;
    out += (o.extent - 1) * o.out;
  }
  for (const auto& t : p.taps) left += (t.extent - 1) * t.left;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Memory m{std::vector<float>(size_t(left)),
           std::vector<float>(size_t(batches * panels_of(p) * tap_count(p) * p.k * kXsmmPanelColumns)),
           std::vector<float>(size_t(p.rows == 0 ? 0 : out), NAN)};
  for (auto* values : {&m.left, &m.panels})
    for (float& v : *values) v = uniform(random);
  return m;
}

std::vector<float> run(const Problem& p, Memory& m, int64_t min_chunk_size, int64_t* chunks = nullptr) {
  m.out.assign(m.out.size(), NAN);
  const void* constants[3] = {};
  const auto op = xsmm_functions()[0].create({kXsmmContraction, 2, 1, constants});
  const auto params = params_of(p);
  const int64_t bytes[] = {int64_t(m.left.size() * 4), int64_t(m.panels.size() * 4), int64_t(m.out.size() * 4)};
  const auto task = op->bind({params, bytes, min_chunk_size});
  void* buffers[] = {m.left.data(), m.panels.data(), m.out.data()};
  for (int64_t chunk = task->chunks() - 1; chunk >= 0; chunk--) task->run(buffers, chunk, nullptr);
  if (chunks) *chunks = task->chunks();
  return m.out;
}

// One element, summed in double.
double exact(const Problem& p, const Memory& m, int64_t left, int64_t batch, int64_t column) {
  std::vector<int64_t> offsets{left};
  for (const auto& t : p.taps) {
    std::vector<int64_t> next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < t.extent; i++) next.push_back(base + i * t.left);
    offsets = next;
  }
  const int64_t panel = (batch * panels_of(p) + column / kXsmmPanelColumns) * tap_count(p);
  double sum = 0;
  for (size_t t = 0; t < offsets.size(); t++)
    for (int64_t k = 0; k < p.k; k++)
      sum +=
          double(m.left[size_t(offsets[t] + k)]) *
          double(m.panels[size_t(((panel + int64_t(t)) * p.k + k) * kXsmmPanelColumns + column % kXsmmPanelColumns)]);
  return sum;
}

void expect_exact(const Problem& p, const Memory& m) {
  const Problem rows = with_rows(p);
  int64_t points = 1;
  for (const auto& o : p.outer) points *= o.extent;
  const double tolerance = 1e-6 * std::sqrt(double(p.k * tap_count(p))) + 1e-6;
  for (int64_t point = 0; point < points; point++) {
    int64_t left = p.left_start, batch = 0, out = 0, rest = point;
    for (size_t i = p.outer.size(); i-- > 0; rest /= p.outer[i].extent) {
      const auto& o = p.outer[i];
      const int64_t at = rest % o.extent;
      left += at * o.left, batch += at * o.batch, out += at * o.out;
    }
    for (int64_t r = 0; r < p.rows; r++)
      for (int64_t c = 0; c < p.columns; c++)
        ASSERT_NEAR(m.out[size_t(out + r * rows.out_row + c)], exact(p, m, left + r * rows.left_row, batch, c),
                    4 * tolerance)
            << "point " << point << " row " << r << " column " << c;
  }
}

const Problem kProblems[] = {
    {1, 1, 1},
    {1, 70, 9},
    {13, 33, 17},
    {65, 129, 40},
    {130, 64, 64},
    {3, 66, 5000},                                                               // five blocks of K
    {7, 20, 16, 5, 40, 50},                                                      // gaps between rows
    {9, 35, 17, 0, 0, 0, {{6, 153, 1, 315}}},                                    // each batch its own panels
    {9, 35, 17, 0, 0, 0, {{2, 306, 0, 630}, {2, 153, 1, 315}}},                  // panels shared by the outer loop
    {8, 65, 6, 0, 6, 130, {{8, 60, 0, 1040}}, {{3, 60}, {3, 6}}},                // an image, every other column block
    {7, 64, 512, 0, 512, 64, {{7, 9 * 512, 0, 448}}, {{3, 9 * 512}, {3, 512}}},  // slabs shared by lines
    {5, 24, 4, 0, 16, 96, {{4, 4, 1, 24}}, {{3, 16}}},                           // groups
};

// Children of the process would be bound to one core.
TEST(Xsmm, LeavesTheEnvironmentAsItIs) {
  const char* before = getenv("OMP_PROC_BIND");
  const std::string given = before ? before : "";
  (void)xsmm_lanes();
  const char* after = getenv("OMP_PROC_BIND");
  EXPECT_EQ(after ? after : "", given);
}

TEST(XsmmStep, EqualsItsMeaningHoweverItIsCut) {
  if (xsmm_lanes() == 0) GTEST_SKIP() << "libxsmm has no kernels for this CPU";
  int64_t cut_somewhere = 0;
  for (const Problem& p : kProblems) {
    SCOPED_TRACE(testing::Message() << p.rows << " x " << p.columns << " x " << p.k);
    Memory m = memory_of(p);
    int64_t chunks = 0;
    const auto whole = run(p, m, int64_t(1) << 40, &chunks);
    EXPECT_EQ(chunks, 1);
    expect_exact(p, m);
    const auto cut = run(p, m, 1, &chunks);
    EXPECT_EQ(std::memcmp(whole.data(), cut.data(), whole.size() * sizeof(float)), 0);
    cut_somewhere += chunks > 1;
  }
  EXPECT_GE(cut_somewhere, 5);
}

TEST(XsmmStep, EmptySumsAndEmptyOutputs) {
  Problem p{5, 7, 0};
  p.out_row = 9;
  Memory m = memory_of(p);
  const auto out = run(p, m, 1);
  for (int64_t r = 0; r < p.rows; r++) {
    for (int64_t c = 0; c < p.columns; c++) EXPECT_EQ(out[size_t(r * 9 + c)], 0);
    if (r + 1 < p.rows) {
      EXPECT_TRUE(std::isnan(out[size_t(r * 9 + 8)]));
    }
  }
  for (const Problem& nothing : {Problem{0, 7, 3}, Problem{2, 3, 4, 0, 0, 0, {{0, 1, 1, 1}}}}) {
    Memory none{{0}, std::vector<float>(4096), {}};
    int64_t chunks = -1;
    run(nothing, none, 1, &chunks);
    EXPECT_EQ(chunks, 0);
  }
}

// Plans are not trusted.
TEST(XsmmStep, Refusals) {
  const Problem good{7, 20, 16, 5, 40, 50, {{3, 300, 1, 400}}, {{2, 16}}};
  Memory m = memory_of(good);
  run(good, m, 1);
  for (auto* buffer : {&m.left, &m.panels, &m.out}) {
    Memory small = m;
    (buffer == &m.left ? small.left : buffer == &m.panels ? small.panels : small.out).pop_back();
    EXPECT_THROW(run(good, small, 1), UserError);
  }
  const auto params = params_of(good);
  const int64_t bytes[] = {int64_t(m.left.size() * 4), int64_t(m.panels.size() * 4), int64_t(m.out.size() * 4)};
  const void* constants[3] = {};
  const auto op = xsmm_functions()[0].create({kXsmmContraction, 2, 1, constants});
  for (size_t i = 0; i < params.size(); i++)
    for (int64_t value : {int64_t(-1), int64_t(1) << 50}) {
      auto changed = params;
      changed[i] = value;
      EXPECT_THROW(op->bind({changed, bytes, 1}), UserError) << i;
    }
  auto few = params;
  few.pop_back();
  EXPECT_THROW(op->bind({few, bytes, 1}), UserError);
  EXPECT_THROW(xsmm_functions()[0].create({kXsmmContraction, 1, 1, constants}), UserError);
}

}  // namespace
}  // namespace cppgen::rt
