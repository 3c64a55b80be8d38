// TensorScatter, compiled against the interpreter: positions inside and outside of the cache.
#include "tests/ops/compiled/compiled_case.h"

namespace cppgen::ops_test {
namespace {

using property::Case;

HostTensor list(const std::vector<int64_t>& v) { return tensor<int64_t>({int64_t(v.size())}, v); }

TEST(TensorScatterCompiled, UpdatesMustFitIntoALinearCache) {
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
