// Fused operators of com.microsoft, compiled against the interpreter.
#include "tests/ops/compiled/compiled_case.h"

namespace cppgen::ops_test {
namespace {

using property::Case;

NodeCase microsoft(const char* op, std::map<std::string, Attribute> attributes, std::vector<HostTensor> inputs,
                   int outputs = 1) {
  NodeCase c{op, 1, std::move(attributes), std::move(inputs)};
  c.outputs = outputs;
  c.domain = "com.microsoft";
  return c;
}

TEST(FusedCompiled, ProductsAndPointwise) {
  Attribute yes = integer(1), half = 0.5f, elu = std::string("Elu");
  std::vector<Case> cases;
  for (const NodeCase& node :
       {microsoft("FusedMatMul", {{"transA", yes}, {"alpha", half}}, {ramp({3, 17, 33}), ramp({3, 17, 21})}),
        microsoft("FusedMatMul", {{"transBatchA", yes}, {"transB", yes}}, {ramp({33, 3, 17}), ramp({3, 21, 17})}),
        microsoft("FusedMatMul", {{"transBatchB", yes}, {"transB", yes}}, {ramp({3, 33, 17}), ramp({21, 3, 17})}),
        microsoft("FusedGemm", {{"activation", elu}, {"transB", yes}}, {ramp({9, 33}), ramp({17, 33}), ramp({17})}),
        microsoft("FusedConv", {{"activation", elu}},
                  {ramp({1, 3, 9, 9}), ramp({16, 3, 3, 3}), ramp({16}), ramp({1, 16, 7, 7})}),
        microsoft("BiasGelu", {}, {ramp({5, 37}), ramp({37})}), microsoft("FastGelu", {}, {ramp({5, 37}), ramp({37})}),
        microsoft("QuickGelu", {}, {ramp({5, 37})}),
        microsoft("BiasSoftmax", {{"axis", integer(3)}}, {ramp({2, 3, 5, 37}), ramp({2, 1, 1, 37})})})
    cases.push_back(compiled_case(node, 1e-4));
  property::expect_cases_agree(cases);
}

TEST(FusedCompiled, Normalisations) {
  std::vector<Case> cases;
  for (int64_t n : {1, 16, 37}) {
    HostTensor x = ramp({2, 3, n}), skip = ramp({3, n}), row = ramp({n});
    cases.push_back(
        compiled_case(microsoft("SkipLayerNormalization", {{"epsilon", 0.1f}}, {x, skip, row, row, row}, 4), 1e-4));
    cases.push_back(
        compiled_case(microsoft("SkipSimplifiedLayerNormalization", {{"epsilon", 0.1f}}, {x, skip, row}), 1e-4));
    HostTensor ids = tensor<int32_t>({2, 3}, {0, 0, 0, 0, 0, 0});
    NodeCase embed = microsoft("EmbedLayerNormalization", {{"epsilon", 0.1f}},
                               {ids, ids, ramp({5, n}), ramp({4, n}), ramp({4, n}), row, row, ids}, 2);
    cases.push_back(compiled_case(embed, 1e-4));
  }
  property::expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::ops_test
