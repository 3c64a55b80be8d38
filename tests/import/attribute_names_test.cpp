// The rows of attributes are those of ONNX's schemas, as far as the installed library has them.
#include "cppgen/ops/attribute_names.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include "cppgen/ops/op.h"

namespace cppgen {
namespace {

TEST(AttributeNames, AreThoseOfTheSchemas) {
  size_t compared = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty() || !ops::find("", schema.Name(), schema.SinceVersion())) continue;
    ops::Names expected;
    for (const auto& [name, attribute] : schema.attributes()) expected.insert(name);
    const auto names = ops::attribute_names("", schema.Name(), schema.SinceVersion());
    ASSERT_TRUE(names) << schema.Name();
    EXPECT_EQ(*names, expected) << schema.Name() << " " << schema.SinceVersion();
    compared++;
  }
  EXPECT_GT(compared, 300u);
}

TEST(AttributeNames, EveryRowIsOfAnOperatorAndChangesIt) {
  for (const ops::AttributeRow& row : ops::attribute_rows()) {
    if (std::string(row.domain).starts_with("com.microsoft")) continue;  // some are expanded before they are looked up
    const std::string ops = row.ops;
    EXPECT_TRUE(ops::find(row.domain, ops.substr(0, ops.find(' ')), row.since)) << row.ops;
  }
}

}  // namespace
}  // namespace cppgen
