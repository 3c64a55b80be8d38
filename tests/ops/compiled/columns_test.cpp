// Operators of moved and overlapping windows, compiled against the interpreter.
#include "tests/ops/compiled/compiled_case.h"

namespace cppgen::ops_test {
namespace {

using property::Case;

HostTensor list(const std::vector<int64_t>& v) { return tensor<int64_t>({int64_t(v.size())}, v); }

TEST(ColumnsCompiled, WindowsAndGrids) {
  std::vector<Case> cases;
  NodeCase col2im{"Col2Im",
                  18,
                  {{"strides", ints({2, 1})}, {"pads", ints({1, 0, 1, 0})}},
                  {ramp({2, 3 * 6, 4 * 16}), list({7, 18}), list({2, 3})},
                  {false, true, true}};
  cases.push_back(compiled_case(col2im, 1e-5));
  NodeCase deform{"DeformConv",
                  22,
                  {{"offset_group", integer(2)}, {"pads", ints({1, 1, 1, 1})}},
                  {ramp({1, 4, 7, 17}), ramp({16, 4, 3, 3}), ramp({1, 36, 7, 17}), ramp({16}), ramp({1, 18, 7, 17})}};
  cases.push_back(compiled_case(deform, 1e-4));
  cases.push_back(compiled_case({"GridSample", 20, {}, {ramp({1, 2, 5, 6, 7}), ramp({1, 3, 4, 17, 3})}}, 1e-4));
  NodeCase affine{"AffineGrid", 20, {}, {ramp({2, 3, 4}), list({2, 1, 3, 5, 17})}, {false, true}};
  cases.push_back(compiled_case(affine, 1e-5));
  cases.push_back(with_range(
      compiled_case({"MaxRoiPool", 1, {{"pooled_shape", ints({3, 5})}}, {ramp({1, 2, 9, 17}), ramp({4, 5})}}), "x1", 0,
      0.9));
  property::expect_cases_agree(cases);
}

TEST(ColumnsCompiled, CachesAreWrittenInPlace) {
  std::vector<Case> cases;
  for (const char* mode : {"linear", "circular"})
    for (double start : {0.0, 3.0, 5.0}) {  // the last lies outside of a linear cache
      NodeCase c{"TensorScatter",
                 24,
                 {{"mode", std::string(mode)}},
                 {ramp({3, 2, 7, 17}), ramp({3, 2, 3, 17}), list({0, 0, 0})}};
      cases.push_back(with_range(compiled_case(c), "x2", start, start));
    }
  property::expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::ops_test
