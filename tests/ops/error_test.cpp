// The messages about bad nodes: the node, its operator, what was found and what is allowed.
#include <gtest/gtest.h>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

struct ErrorRow {
  NodeCase node;
  std::string message;
};

HostTensor floats(std::vector<int64_t> dims) { return ramp(std::move(dims)); }
HostTensor list(std::vector<int64_t> v) { return tensor<int64_t>({int64_t(v.size())}, v); }

const ErrorRow kErrors[] = {
    {{"Add", 14, {}, {floats({2, 3}), floats({2})}},
     "node 'Add#0' (Add, opset 14): shapes [2, 3] and [2] do not broadcast: dimensions 3 and 2 differ and neither is "
     "the "
     "constant 1"},
    {{"Add", 14, {}, {floats({2}), list({1, 2})}},
     "node 'Add#0' (Add, opset 14): inputs 0 and 1 must have the same type but are float32 and int64"},
    {{"Add", 14, {}, {floats({2})}}, "node 'Add#0' (Add, opset 14): 1 inputs are given; allowed are 2 to 2"},
    {{"Softmax", 13, {{"axis", integer(3)}}, {floats({2, 3})}},
     "node 'Softmax#0' (Softmax, opset 13): axis 3 is not in [-2, 1]"},
    {{"Transpose", 13, {{"perm", ints({0, 0})}}, {floats({2, 3})}},
     "node 'Transpose#0' (Transpose, opset 13): axis 0 is given twice"},
    {{"Transpose", 13, {{"perm", integer(1)}}, {floats({2, 3})}},
     "node 'Transpose#0' (Transpose, opset 13): attribute 'perm' is not a list of integers"},
    {{"Reshape", 14, {}, {floats({2, 3}), list({4, -1})}, {false, true}},
     "node 'Reshape#0' (Reshape, opset 14): the input [2, 3] has no -1 to fill in [4, -1]"},
    {{"Expand", 13, {}, {floats({1}), list({INT64_MAX, 4})}, {false, true}},
     "node 'Expand#0' (Expand, opset 13): a tensor of the shape [9223372036854775807, 4] is too large"},
    {{"ConstantOfShape", 9, {}, {list({-2})}, {true}},
     "node 'ConstantOfShape#0' (ConstantOfShape, opset 9): a dimension of the shape [-2] is negative"},
    {{"MatMul", 13, {}, {floats({2, 3}), floats({4, 5})}},
     "node 'MatMul#0' (MatMul, opset 13): the inner dimensions of the operands must be equal but are 3 and 4"},
    {{"Conv", 11, {{"strides", ints({0, 1})}}, {floats({1, 1, 4, 4}), floats({1, 1, 2, 2})}},
     "node 'Conv#0' (Conv, opset 11): attribute 'strides' has the value 0; allowed are 1 to 2^31"},
    {{"Conv", 11, {}, {floats({1, 1, 2, 2}), floats({1, 1, 5, 5})}},
     "node 'Conv#0' (Conv, opset 11): a window of 5 does not fit into the padded input 2"},
    {{"MaxPool", 12, {}, {floats({1, 1, 4})}},
     "node 'MaxPool#0' (MaxPool, opset 12): attribute 'kernel_shape' is missing"},
    {{"Relu", 14, {}, {tensor<bool>({1}, {true})}},
     "node 'Relu#0' (Relu, opset 14): input 0 is bool; allowed are float32, float64, float16, bfloat16, int8, int16, "
     "int32, "
     "int64"},
    {{"InstanceNormalization", 6, {}, {floats({1, 2, 3}), list({1, 2}), floats({2})}},
     "node 'InstanceNormalization#0' (InstanceNormalization, opset 6): inputs 0 and 1 must have the same type but are "
     "float32 and int64"},
    {{"BatchNormalization", 15, {}, {floats({1, 2}), floats({2}), floats({2}), list({1, 2}), floats({2})}},
     "node 'BatchNormalization#0' (BatchNormalization, opset 15): input 3 is int64; allowed are float32, float64, "
     "float16, bfloat16"},
    {{"NonMaxSuppression", 11, {}, {floats({1, 2, 4}), floats({1, 1, 2}), list({1}), list({1})}},
     "node 'NonMaxSuppression#0' (NonMaxSuppression, opset 11): input 3 is int64; allowed are float32"},
    {{"Slice", 13, {}, {floats({4}), list({0}), list({4}), list({0}), list({0})}, {false, true, true, true, true}},
     "node 'Slice#0' (Slice, opset 13): a step is 0"},
};

TEST(Errors, NameTheNodeAndWhatIsAllowed) {
  for (const ErrorRow& row : kErrors) EXPECT_EQ(error_of(row.node), row.message);
}

TEST(Errors, ListEveryUnsupportedNodeAtOnce) {
  Graph g;
  ValueId x = g.add_value("x"), a = g.add_value("a"), b = g.add_value("b"), c = g.add_value("c");
  g.value(x).type = TensorType{DType::f32, {2}};
  g.inputs = {x};
  g.add_node("NoSuchThing", {x}, {a}, 17);
  g.add_node("GroupNormalization", {a}, {b}, 13);
  Node& constant = g.add_node("Constant", {}, {c}, 17);
  constant.attributes["value_string"] = std::string("x");
  g.outputs = {b};
  std::string message;
  try {
    ops::check_supported(g);
  } catch (const std::exception& e) {
    message = e.what();
  }
  EXPECT_EQ(message,
            "3 of 3 nodes cannot be compiled:\n"
            "  node 'NoSuchThing#0': NoSuchThing (opset 17): the operator is not supported\n"
            "  node 'GroupNormalization#1': GroupNormalization (opset 13): the operator is not defined or not "
            "supported in this version\n"
            "  node 'Constant#2': Constant (opset 17): attribute 'value_string' is not supported");
}

TEST(Attributes, UnknownOnesAreListed) {
  Graph g;
  const ValueId x = g.add_value("x"), a = g.add_value("a"), b = g.add_value("b");
  g.value(x).type = TensorType{DType::f32, {2}};
  g.inputs = {x};
  g.add_node("Add", {x, x}, {a}, 7).attributes = {{"axis", int64_t(0)}, {"__note", int64_t(1)}};
  g.add_node("TopK", {a}, {b}, 10).attributes = {{"axis", int64_t(0)}, {"sorted", int64_t(1)}};
  g.outputs = {b};
  std::string message;
  try {
    ops::check_attributes(g);
  } catch (const UserError& e) {
    message = e.what();
  }
  EXPECT_EQ(message,
            "2 attributes cannot be read:\n"
            "  node \"Add#0\": Add (opset 7) has no attribute \"axis\"\n"
            "  node \"TopK#1\": TopK (opset 10) has no attribute \"sorted\", only axis");
}

TEST(Attributes, OlderVersionsHaveTheirOwn) {
  Graph g;
  const ValueId x = g.add_value("x"), a = g.add_value("a");
  g.add_node("Add", {x, x}, {a}, 6).attributes = {{"axis", int64_t(0)}, {"broadcast", int64_t(1)}};
  EXPECT_NO_THROW(ops::check_attributes(g));
  g.nodes[0].attributes["consumed_inputs"] = std::vector<int64_t>{0, 0};
  EXPECT_THROW(ops::check_attributes(g), UserError);
  g.nodes[0].opset = 5;
  EXPECT_NO_THROW(ops::check_attributes(g));
}

// ONNX Runtime refuses such, too. Of an empty list nobody can tell the type.
TEST(Attributes, HaveTheTypesOfTheTable) {
  Graph g;
  const ValueId x = g.add_value("x"), a = g.add_value("a"), b = g.add_value("b");
  g.value(x).type = TensorType{DType::f32, {2}};
  g.inputs = {x};
  g.add_node("LeakyRelu", {x}, {a}, 16).attributes = {{"alpha", int64_t(1)}};
  g.add_node("GRU", {a}, {b}, 22).attributes = {{"activation_alpha", std::vector<int64_t>{}},
                                                {"direction", std::vector<std::string>{"forward"}}};
  g.outputs = {b};
  std::string message;
  try {
    ops::check_attributes(g);
  } catch (const UserError& e) {
    message = e.what();
  }
  EXPECT_EQ(message,
            "2 attributes cannot be read:\n"
            "  node \"LeakyRelu#0\": LeakyRelu (opset 16) takes a float as attribute \"alpha\", not an integer\n"
            "  node \"GRU#1\": GRU (opset 22) takes a string as attribute \"direction\", not a list of strings");
}

// Reads what every row says, so that a row with a slip of the pen is found.
TEST(Table, AttributesOfEveryRowAreWellFormed) {
  for (const ops::Op& op : ops::table()) {
    for (size_t i = 1; i < op.versions.size(); i++)
      EXPECT_LT(op.versions[i - 1].since, op.versions[i].since) << op.domain << "." << op.name;
    EXPECT_NO_THROW(ops::attributes_at(op.versions, op.versions.back().since)) << op.domain << "." << op.name;
    EXPECT_TRUE(op.lower || op.host) << op.domain << "." << op.name;
  }
}

TEST(Table, FindsTheGreatestVersionUpToTheOpset) {
  EXPECT_EQ(ops::find("", "Attention", 23)->inputs.most, 6);
  EXPECT_EQ(ops::find("", "Attention", 24)->inputs.most, 7);
  EXPECT_EQ(ops::find("", "Attention", 99)->inputs.most, 7);
  EXPECT_EQ(ops::find("", "GroupNormalization", 16), nullptr);
  EXPECT_EQ(ops::find("com.example", "Softmax", 13), nullptr);
}

}  // namespace
}  // namespace cppgen::ops_test
