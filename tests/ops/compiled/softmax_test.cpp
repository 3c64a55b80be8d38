// Rows with NaN and infinities: their maximum is one of numbers alone, so NaN comes from the powers and their sum.
#include "tests/ops/compiled/compiled_case.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::ops_test {
namespace {

// Logarithms of values in [lo, hi]: NaN where they are negative, -infinity where they are 0; divided by 0, the others
// are infinities, too.
property::Case rows_of_logarithms(const std::string& op, double lo, double hi, int64_t columns, bool infinite) {
  GraphMaker g;
  ValueId x = g.node("Log", {g.node("Round", {g.input("x", {64, columns})})});
  if (infinite) x = g.node("Div", {x, g.floats({}, {0})});
  g.output(g.node(op, {x}));
  ops::infer_types(g.g);
  return with_range(property::case_of(std::move(g.g), property::Fact{1, 1e-6}), "x", lo, hi);
}

TEST(SoftmaxCompiled, RowsWithNaNAndInfinities) {
  std::vector<property::Case> cases;
  for (const char* op : {"Softmax", "LogSoftmax", "ReduceLogSumExp"})
    for (const int64_t columns : {1, 3, 5, 37})
      for (const bool infinite : {false, true}) {
        cases.push_back(rows_of_logarithms(op, -0.7, 3, columns, infinite));  // some are NaN
        cases.push_back(rows_of_logarithms(op, 0, 3, columns, infinite));     // some are infinite
        cases.push_back(rows_of_logarithms(op, -5, -1, columns, infinite));   // all are NaN
        cases.push_back(rows_of_logarithms(op, 0, 0.4, columns, infinite));   // all are infinite
      }
  property::expect_cases_agree(cases);
}

// The sign of a weight tells a small number from 0: powers below the least normal number are 0.
TEST(SoftmaxCompiled, PowersThatAreNotNormalAreZero) {
  std::vector<property::Case> cases;
  for (const int64_t type : {1, 11})  // float32, float64
    for (const int64_t columns : {2, 37, 400}) {
      GraphMaker g;
      const ValueId x = g.node("Cast", {g.input("x", {64, columns})}, {{"to", type}});
      g.output(g.node("Sign", {g.node("Softmax", {x})}));
      ops::infer_types(g.g);
      cases.push_back(with_range(property::case_of(std::move(g.g), property::Fact{1, 0}), "x", -110, 0));
    }
  property::expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::ops_test
