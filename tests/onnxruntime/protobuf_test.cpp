#include "cppgen/onnxruntime/protobuf.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <limits>

namespace cppgen::ep {
namespace {

// What is written is read by the library of Protocol Buffers.
onnx::NodeProto read_node_proto(const Message& message) {
  const std::string bytes = message.serialized();
  EXPECT_EQ(bytes.size(), message.size());
  onnx::NodeProto node;
  EXPECT_TRUE(node.ParseFromString(bytes));
  return node;
}

TEST(Protobuf, TextsAndNestedMessages) {
  Message attribute;
  attribute.text(1, "alpha").real(2, 0.25f).integer(20, 1);
  Message message;
  message.text(1, "x").text(1, "").text(2, "y").message(5, std::move(attribute)).text(4, "LeakyRelu");
  const onnx::NodeProto node = read_node_proto(message);
  ASSERT_EQ(node.input_size(), 2);
  EXPECT_EQ(node.input(0), "x");
  EXPECT_EQ(node.input(1), "");
  EXPECT_EQ(node.op_type(), "LeakyRelu");
  ASSERT_EQ(node.attribute_size(), 1);
  EXPECT_EQ(node.attribute(0).name(), "alpha");
  EXPECT_EQ(node.attribute(0).f(), 0.25f);
}

TEST(Protobuf, IntegersOfAllSizes) {
  const int64_t values[] = {
      0, 1, 127, 128, 300, -1, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  Message attribute;
  for (const int64_t value : values) attribute.integer(8, value);
  onnx::AttributeProto read;
  ASSERT_TRUE(read.ParseFromString(attribute.serialized()));
  ASSERT_EQ(read.ints_size(), int(std::size(values)));
  for (int i = 0; i < read.ints_size(); i++) EXPECT_EQ(read.ints(i), values[i]);
}

TEST(Protobuf, MemoryThatIsReferredToIsReadWhenTheMessageIsDone) {
  std::string weights(1000, 'a');
  Message tensor;
  tensor.reference(9, weights).text(8, "w").reference(9, "");
  weights[0] = 'b';
  Message graph;
  graph.message(5, std::move(tensor)).text(2, "graph");
  onnx::GraphProto read;
  ASSERT_TRUE(read.ParseFromString(graph.serialized()));
  EXPECT_EQ(read.initializer(0).name(), "w");
  EXPECT_EQ(read.name(), "graph");
  Message again;
  again.reference(9, weights).text(8, "w");
  onnx::TensorProto one;
  ASSERT_TRUE(one.ParseFromString(again.serialized()));
  EXPECT_EQ(one.raw_data(), weights);
}

}  // namespace
}  // namespace cppgen::ep
