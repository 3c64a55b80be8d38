// Shapes of memory-bound kernels around the edges of vectors, tiles and units, compiled for every instruction set and
// compared with the interpreter: long chains of operations, transposed access, reductions side by side.
#include "cppgen/schedule/fusion/group.h"
#include "tests/property/expect_cases.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::property {
namespace {

Case case_of(GraphMaker& g, double error) { return property::case_of(std::move(g.g), Fact{1, error}); }

Case chain(int64_t count, int rounds) {
  GraphMaker g;
  ValueId x = g.input("x", {count}), y = g.input("y", {count});
  for (int i = 0; i < rounds; i++) {
    x = g.node("Tanh", {g.node("Add", {x, y})});
    x = g.node("Exp", {x});
    x = g.node("Sigmoid", {g.node("Sub", {x, g.floats({}, {0.5})})});
  }
  g.output(x);
  return case_of(g, 1e-5);
}

TEST(MemoryBound, LongChains) {
  std::vector<Case> cases;
  for (int64_t n : {1, 7, 8, 33, 64, 65, 4097}) cases.push_back(chain(n, 1));           // four vectors side by side
  for (int64_t n : {9, 31, 63, 65, 127, 128, 129, 5000}) cases.push_back(chain(n, 2));  // eight
  expect_cases_agree(cases);
}

// The chain is long enough to be interleaved, in columns and together with a broadcast row.
TEST(MemoryBound, LongChainsOverRowsOfABroadcast) {
  std::vector<Case> cases;
  for (int64_t n : {3, 16, 37, 130}) {
    GraphMaker g;
    ValueId x = g.node("Mul", {g.input("x", {5, n}), g.input("scale", {n})});
    for (int i = 0; i < 4; i++) x = g.node("Tanh", {g.node("Erf", {x})});
    g.output(g.node("Add", {x, g.input("column", {5, 1})}));
    cases.push_back(case_of(g, 1e-5));
  }
  expect_cases_agree(cases);
}

Case transposed(std::vector<int64_t> dims, std::vector<int64_t> perm, DType type) {
  GraphMaker g;
  Shape from, to;
  for (int64_t d : dims) from.push_back(d);
  for (int64_t p : perm) to.push_back(from[size_t(p)]);
  ValueId moved = g.node("Transpose", {g.input("x", from, type)}, {{"perm", perm}});
  g.output(g.node("Add", {moved, g.input("y", to, type)}));
  return case_of(g, type == DType::f32 ? 0 : 1e-12);
}

TEST(MemoryBound, TransposedMatrices) {
  std::vector<Case> cases;
  for (int64_t m : {1, 3, 15, 16, 17, 64, 65, 130})
    for (int64_t n : {2, 16, 33, 64, 300}) cases.push_back(transposed({m, n}, {1, 0}, DType::f32));
  expect_cases_agree(cases);
}

TEST(MemoryBound, TransposedImagesAndWideElements) {
  std::vector<Case> cases;
  for (DType type : {DType::f32, DType::f64, DType::i32, DType::i8}) {
    cases.push_back(transposed({2, 7, 9, 35}, {0, 3, 1, 2}, type));
    cases.push_back(transposed({2, 35, 7, 9}, {0, 2, 3, 1}, type));
    cases.push_back(transposed({70, 3, 66}, {2, 1, 0}, type));
  }
  expect_cases_agree(cases);
}

TEST(MemoryBound, TransposedNarrowElements) {
  std::vector<Case> cases;
  for (DType type : {DType::u8, DType::i8, DType::i16, DType::f16})
    for (int64_t m : {1, 7, 16, 33, 70})
      for (int64_t n : {2, 15, 64, 100}) cases.push_back(transposed({m, n}, {1, 0}, type));
  expect_cases_agree(cases);
}

// Channels side by side become planes.
TEST(MemoryBound, ImagesOfFewChannels) {
  std::vector<Case> cases;
  for (DType type : {DType::u8, DType::f16, DType::f32, DType::f64})
    for (int64_t channels : {1, 2, 3, 4, 5})
      for (int64_t width : {1, 7, 24}) cases.push_back(transposed({2, 5, width, channels}, {0, 3, 1, 2}, type));
  expect_cases_agree(cases);
}

Case sibling_reductions(int64_t rows, int64_t columns, int64_t axis) {
  GraphMaker g;
  std::map<std::string, Attribute> axes{{"axes", std::vector<int64_t>{axis}}};
  ValueId x = g.input("x", {rows, columns}), at = g.ints({axis});
  ValueId centred = g.node("Sub", {x, g.node("ReduceMean", {x}, axes)});
  g.output(g.node("ReduceSum", {x, at})).output(g.node("ReduceMax", {x}, axes));
  g.output(g.node("ReduceMean", {g.node("Mul", {centred, centred})}, axes));
  return case_of(g, 1e-5 * double(rows + columns));
}

TEST(MemoryBound, SiblingReductions) {
  std::vector<Case> cases;
  for (int64_t axis : {0, 1})
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{65, 67}, {9, 300}, {300, 9}, {100, 64}})
      cases.push_back(sibling_reductions(rows, columns, axis));
  expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::property

namespace cppgen::schedule {
namespace {

TEST(Siblings, ReductionsOfTheSameElementsShareAKernel) {
  for (int64_t axis : {0, 1}) {
    GraphMaker g;
    std::map<std::string, Attribute> axes{{"axes", std::vector<int64_t>{axis}}};
    ValueId x = g.input("x", {64, 100});
    g.output(g.node("ReduceMax", {x}, axes)).output(g.node("ReduceMin", {x}, axes));
    Schedule s = scheduled(g);
    ASSERT_EQ(s.steps.size(), 1u);
    EXPECT_EQ(kernels_of(s)[0]->segments.size(), 1u);
    EXPECT_EQ(decision(s.log, "horizontal").reason, "reductions over the same elements");
  }
}

TEST(Siblings, ReductionsOfOtherElementsStayApart) {
  GraphMaker g;
  std::map<std::string, Attribute> axes{{"axes", std::vector<int64_t>{1}}};
  g.output(g.node("ReduceMax", {g.input("x", {64, 100})}, axes))
      .output(g.node("ReduceMax", {g.input("y", {64, 100})}, axes));
  EXPECT_EQ(scheduled(g).steps.size(), 2u);
}

TEST(Siblings, PositionsStayApart) {
  GraphMaker g;
  ValueId x = g.input("x", {64, 100});
  g.output(g.node("ReduceMax", {x}, {{"axes", std::vector<int64_t>{1}}}));
  g.output(g.node("ArgMax", {x}, {{"axis", int64_t{1}}}));
  EXPECT_EQ(scheduled(g).steps.size(), 2u);
}

}  // namespace
}  // namespace cppgen::schedule
