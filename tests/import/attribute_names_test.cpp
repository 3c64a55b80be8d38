// The rows of attributes are those of ONNX's schemas, as far as the installed library has them.
#include "cppgen/ops/attribute_names.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <map>
#include <set>

#include "cppgen/ops/op.h"

namespace cppgen {
namespace {

// What exporters write and ONNX Runtime takes, though the version's schema does not have it.
const std::map<std::pair<std::string, int>, std::string> kBeyondSchemas = {{{"DequantizeLinear", 10}, "axis"},
                                                                           {{"QuantizeLinear", 10}, "axis"}};

// Operators that ONNX tried out before it had versions; they are expanded before they are looked up.
const std::set<std::string> kTriedOut = {"Affine", "Crop", "DynamicSlice", "ImageScaler", "Scale"};

TEST(AttributeNames, AreThoseOfTheSchemas) {
  size_t compared = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty() || !ops::find("", schema.Name(), schema.SinceVersion())) continue;
    ops::Names expected;
    for (const auto& [name, attribute] : schema.attributes()) expected.insert(name);
    if (const auto more = kBeyondSchemas.find({schema.Name(), schema.SinceVersion()}); more != kBeyondSchemas.end())
      EXPECT_TRUE(expected.insert(more->second).second) << schema.Name() << " has " << more->second;
    const auto names = ops::attribute_names("", schema.Name(), schema.SinceVersion());
    ASSERT_TRUE(names) << schema.Name();
    EXPECT_EQ(*names, expected) << schema.Name() << " " << schema.SinceVersion();
    compared++;
  }
  EXPECT_GT(compared, 300u);
}

TEST(AttributeNames, EveryRowIsOfAnOperatorAndChangesIt) {
  for (const ops::AttributeRow& row : ops::attribute_rows()) {
    const std::string domain = row.domain;  // of these, some are expanded before they are looked up
    if (domain.starts_with("com.microsoft") || domain == "ai.onnx.ml") continue;
    const std::string ops = row.ops, first = ops.substr(0, ops.find(' '));
    if (kTriedOut.count(first)) continue;
    EXPECT_TRUE(ops::find(row.domain, first, row.since)) << row.ops;
  }
}

}  // namespace
}  // namespace cppgen
