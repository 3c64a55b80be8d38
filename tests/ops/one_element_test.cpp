// Inputs that must be one number: of any other shape they are refused at inference, with the node's name; dimensions
// that are symbols become 1.
#include <gtest/gtest.h>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

HostTensor floats(std::vector<int64_t> dims) { return ramp(std::move(dims)); }
HostTensor integers(std::vector<int64_t> dims) {
  HostTensor t{DType::i64, dims, {}};
  size_t bytes = sizeof(int64_t);
  for (int64_t d : dims) bytes *= size_t(d);
  t.bytes.assign(bytes, std::byte(0));
  return t;
}
HostTensor bools(std::vector<int64_t> dims) {
  HostTensor t = integers(dims);
  t.type = DType::boolean;
  t.bytes.resize(t.bytes.size() / sizeof(int64_t));
  return t;
}

struct Row {
  NodeCase node;
  size_t input;  // that must be one number
};

// Each with a good value for that input.
std::vector<Row> rows() {
  const HostTensor pads = tensor<int64_t>({2}, {1, 1});
  return {
      {{"Trilu", 14, {}, {floats({3, 3}), integers({})}}, 1},
      {{"OneHot", 11, {}, {floats({2}), tensor<int64_t>({}, {3}), floats({2})}, {false, true}}, 1},
      {{"Range", 11, {}, {floats({}), tensor<float>({}, {3}), tensor<float>({}, {1})}, {true, true, true}}, 0},
      {{"Range", 11, {}, {floats({}), tensor<float>({}, {3}), tensor<float>({}, {1})}, {true, true, true}}, 1},
      {{"Range", 11, {}, {floats({}), tensor<float>({}, {3}), tensor<float>({}, {1})}, {true, true, true}}, 2},
      {{"Pad", 13, {}, {floats({4}), pads, floats({})}, {false, true}}, 2},
      {{"Pad", 13, {}, {floats({4}), tensor<int64_t>({2}, {1, 1}), floats({})}, {false, true}}, 2},
      {{"Dropout", 13, {}, {floats({4}), floats({}), bools({})}}, 1},
      {{"Dropout", 13, {}, {floats({4}), floats({}), bools({})}}, 2},
      {{"CumSum", 14, {}, {floats({4}), integers({})}}, 1},
      {{"TopK", 11, {}, {floats({4}), tensor<int64_t>({1}, {2})}, {false, true}, {}, 2}, 1},
      {{"Tile", 1, {}, {floats({4}), tensor<int64_t>({}, {2}), integers({})}, {false, true, true}}, 1},
      {{"Tile", 1, {}, {floats({4}), tensor<int64_t>({}, {2}), integers({})}, {false, true, true}}, 2},
      {{"DFT", 20, {}, {floats({1, 4, 1}), tensor<int64_t>({}, {4})}, {false, true}}, 1},
      {{"DFT", 20, {}, {floats({1, 4, 1}), tensor<int64_t>({}, {4}), tensor<int64_t>({}, {1})}, {false, true, true}},
       2},
      {{"STFT", 17, {}, {floats({1, 8, 1}), tensor<int64_t>({}, {2}), floats({4})}, {false, true}}, 1},
      {{"HannWindow", 17, {}, {tensor<int64_t>({}, {4})}, {true}}, 0},
  };
}

HostTensor of_dims(const HostTensor& like, std::vector<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  HostTensor t{like.type, std::move(dims), {}};
  for (int64_t i = 0; i < count; i++) t.bytes.insert(t.bytes.end(), like.bytes.begin(), like.bytes.end());
  return t;
}

TEST(OneElement, OtherShapesAreRefusedAsConstantsAndAsInputs) {
  for (const Row& row : rows()) {
    EXPECT_EQ(error_of(row.node), "") << row.node.op;
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0}, {2}, {0, 1}, {1, 3}})
      for (bool constant : {false, true}) {
        NodeCase bad = row.node;
        bad.inputs[row.input] = of_dims(bad.inputs[row.input], dims);
        bad.constant.resize(bad.inputs.size(), false);
        bad.constant[row.input] = constant;
        const std::string error = error_of(bad);
        EXPECT_NE(error.find("node '" + row.node.op + "#0'"), std::string::npos) << row.node.op << ": " << error;
      }
  }
}

TEST(OneElement, StatisticsOfANormalizationThatDoesNotTrainDoNotExist) {
  const HostTensor channel = floats({3});
  NodeCase node{"BatchNormalization", 15, {}, {floats({2, 3, 4}), channel, channel, channel, channel}, {}, {}, 3};
  EXPECT_NE(error_of(node).find("'training_mode' is 0"), std::string::npos) << error_of(node);
  node.attributes["training_mode"] = integer(1);
  EXPECT_EQ(error_of(node), "");
}

TEST(OneElement, SqueezingNothingToAScalarIsRefused) {
  const NodeCase node{"Squeeze", 21, {}, {floats({0}), integers({1})}};
  EXPECT_NE(error_of(node).find("must be equal but are 0 and 1"), std::string::npos) << error_of(node);
}

TEST(OneElement, SizesOfZeroGiveAnEmptyImage) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    NodeCase node{"Resize", 19, {{"mode", std::string(mode)}}, {floats({1, 1, 4, 4})}, {}, {}, 1};
    node.inputs.push_back(floats({0})), node.inputs.push_back(floats({0}));
    node.inputs.push_back(tensor<int64_t>({4}, {1, 1, 0, 4}));
    node.constant = {false, true, true, true}, node.absent = {false, true, true, false};
    EXPECT_EQ(run(node).at(0).dims, (std::vector<int64_t>{1, 1, 0, 4})) << mode;
  }
}

}  // namespace
}  // namespace cppgen::ops_test
