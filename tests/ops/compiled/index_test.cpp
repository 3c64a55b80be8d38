// Operators that write or read where indices say: compiled results, and runs that indices out of range end.
#include "tests/ops/compiled/compiled_case.h"

namespace cppgen::ops_test {
namespace {

using property::Case;

HostTensor indices(std::vector<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return tensor<int64_t>(std::move(dims), std::vector<int64_t>(size_t(n), 0));
}

// Data of 5 rows. Inputs x1 are the indices.
std::vector<NodeCase> index_nodes() {
  std::vector<NodeCase> nodes;
  for (const char* reduction : {"none", "add", "max"}) {
    Attribute how = std::string(reduction);
    nodes.push_back({"ScatterElements", 18, {{"reduction", how}}, {ramp({5, 9}), indices({3, 7}), ramp({3, 7})}});
    nodes.push_back({"ScatterND", 18, {{"reduction", how}}, {ramp({5, 9}), indices({4, 1}), ramp({4, 9})}});
  }
  nodes.push_back({"ScatterND", 18, {}, {ramp({5, 5}), indices({3, 3, 2}), ramp({3, 3})}});
  nodes.push_back({"Scatter", 9, {{"axis", integer(1)}}, {ramp({3, 5}), indices({2, 4}), ramp({2, 4})}});
  nodes.push_back({"GatherElements", 13, {}, {ramp({5, 9}), indices({4, 9})}});
  nodes.push_back({"GatherND", 13, {}, {ramp({5, 5, 6}), indices({3, 2})}});
  nodes.push_back({"Gather", 13, {}, {ramp({5, 6}), indices({2, 3})}});
  return nodes;
}

TEST(IndexCompiled, IndicesInRange) {
  std::vector<Case> cases;
  for (const NodeCase& node : index_nodes()) cases.push_back(with_range(compiled_case(node, 1e-6), "x1", -5, 4));
  property::expect_cases_agree(cases);
}

TEST(IndexCompiled, IndicesOutOfRangeEndTheRun) {
  std::vector<Case> cases;
  for (const NodeCase& node : index_nodes())
    for (int64_t wrong : {5, -6}) {
      cases.push_back(with_range(compiled_case(node), "x1", double(wrong), double(wrong)));
      NodeCase interpreted = node;
      interpreted.inputs[1] =
          tensor<int64_t>(node.inputs[1].dims, std::vector<int64_t>(size_t(node.inputs[1].elements()), wrong));
      try {
        run(interpreted);
        ADD_FAILURE() << node.op;
      } catch (const std::exception& e) {
        EXPECT_NE(std::string(e.what()).find(node.op + "#0"), std::string::npos) << e.what();
      }
    }
  property::expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::ops_test
