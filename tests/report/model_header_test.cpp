#include "cppgen/report/model_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "cppgen/report/model_names.h"
#include "tests/import/model_maker.h"

namespace cppgen::report {
namespace {

using testing::HasSubstr;

rt::DimExpr known(int64_t size) { return {{int64_t(rt::DimOp::constant), size}}; }
rt::DimExpr symbol(int64_t number) { return {{int64_t(rt::DimOp::symbol), number}}; }

TEST(ModelHeader, NamesBecomeIdentifiers) {
  EXPECT_EQ(identifier_of("resnet50-v1.5"), "resnet50_v1_5");
  EXPECT_EQ(identifier_of("/model/a::b"), "t_model_a_b");
  EXPECT_EQ(identifier_of("3d"), "t3d");
  EXPECT_EQ(identifier_of("class"), "class_");
  EXPECT_EQ(identifier_of(""), "t");
  EXPECT_EQ(identifier_of("\xc3\xa9"), "t_");
}

// Whatever the names and kinds of a model are, its header is C++17.
TEST(ModelHeader, IsAcceptedByTheCompiler) {
  rt::Plan plan;
  plan.model = "a */ \n model \"x\" ??/";
  plan.symbols.resize(1);
  plan.symbols[0].name = "batch\n#error";
  const auto add = [](std::vector<rt::TensorInfo>& to, const std::string& name, DType type,
                      std::vector<rt::DimExpr> dims, ValueKind kind = ValueKind::tensor) {
    rt::TensorInfo info;
    info.name = name, info.type = type, info.dims = std::move(dims), info.kind = kind;
    to.push_back(std::move(info));
  };
  for (int type = 0; type < kDTypeCount; type++)
    add(plan.inputs, std::string(name_of(DType(type))), DType(type), {symbol(0), known(type), known(3)});
  add(plan.inputs, "in/put", DType::f32, {});
  add(plan.inputs, "in put", DType::f32, {known(1)});
  add(plan.inputs, "\\ \"\n */ //", DType::f32, {known(0)});
  add(plan.outputs, "y", DType::f32, {symbol(0)});
  rt::Plan with_values = plan;
  add(with_values.inputs, "words", DType::f32, {known(2)}, ValueKind::strings);
  add(with_values.inputs, "list", DType::f32, {}, ValueKind::sequence);
  add(with_values.outputs, "maybe", DType::f32, {}, ValueKind::optional);
  const TempFolder folder;
  std::string source;
  for (const auto& [name, it] :
       {std::pair("tensors", plan), std::pair("values", with_values), std::pair("none", rt::Plan())}) {
    folder.write(std::string(name) + ".h", model_header(name, it, "a \"path\" \\ \n"));
    source += std::string("#include \"") + name + ".h\"\n" + name + " of_" + name + ";\n";
  }
  const std::string file = folder.write("all.cpp", source);
  const std::string command =
      "c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I " CPPGEN_SOURCE_DIR "/runtime/session " + file;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(ModelHeader, StatesTypesAndDimensions) {
  rt::Plan plan;
  plan.symbols.resize(1);
  plan.symbols[0].name = "batch";
  rt::TensorInfo info;
  info.name = "x", info.type = DType::f16, info.dims = {symbol(0), known(3)};
  plan.inputs = {info};
  const std::string header = model_header("m", plan, "/p");
  EXPECT_THAT(header, HasSubstr("// x [batch, 3]\n"));
  EXPECT_THAT(header, HasSubstr("cppgen::Shaped<CPPGEN_FLOAT16, const std::uint16_t, -1, 3> x;"));
  EXPECT_THAT(header, HasSubstr("kPackage = \"/p\""));
}

}  // namespace
}  // namespace cppgen::report
