// The attributes in the operator table are those of ONNX's schemas, as far as the installed library has them.
#include "cppgen/ops/attributes.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "cppgen/ops/op.h"

namespace cppgen {
namespace {

using Type = ops::AttributeType;

// Attributes that exporters write and ONNX Runtime takes, though the version's schema does not have them.
const std::map<std::pair<std::string, int>, std::string> kBeyondSchemas = {{{"DequantizeLinear", 10}, "axis"},
                                                                           {{"QuantizeLinear", 10}, "axis"}};

Type type_of(onnx::AttributeProto::AttributeType type) {
  static const std::map<int, Type> types = {
      {onnx::AttributeProto::INT, Type::integer},   {onnx::AttributeProto::INTS, Type::integers},
      {onnx::AttributeProto::FLOAT, Type::number},  {onnx::AttributeProto::FLOATS, Type::numbers},
      {onnx::AttributeProto::STRING, Type::text},   {onnx::AttributeProto::STRINGS, Type::texts},
      {onnx::AttributeProto::TENSOR, Type::tensor}, {onnx::AttributeProto::SPARSE_TENSOR, Type::sparse_tensor},
      {onnx::AttributeProto::GRAPH, Type::graph},   {onnx::AttributeProto::TYPE_PROTO, Type::type}};
  return types.at(type);
}

TEST(Attributes, AreThoseOfTheSchemas) {
  size_t compared = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const ops::Op* op = ops::find(schema.domain(), schema.Name(), schema.SinceVersion());
    if (!op) continue;
    ops::AttributeTypes expected;
    for (const auto& [name, attribute] : schema.attributes()) expected[name] = type_of(attribute.type);
    const auto more = kBeyondSchemas.find({schema.Name(), schema.SinceVersion()});
    if (schema.domain().empty() && more != kBeyondSchemas.end()) {
      EXPECT_TRUE(expected.emplace(more->second, Type::integer).second) << schema.Name() << " has " << more->second;
    }
    EXPECT_EQ(ops::attributes_at(op->versions, schema.SinceVersion()), expected)
        << schema.Name() << " " << schema.SinceVersion();
    compared++;
  }
  EXPECT_GT(compared, 300u);
}

}  // namespace
}  // namespace cppgen
