#include "cppgen/import/summary.h"

#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

TEST(Summary, SaysWhatTheFileSays) {
  TempFolder folder;
  ModelMaker m;
  m.model.set_producer_name("maker");
  m.input("x", {"batch", "3", "?"}).input("w", {"2"}).output("y");
  auto& w = m.initializer("w", {2, 3}, onnx::TensorProto::FLOAT16);
  w.set_data_location(onnx::TensorProto::EXTERNAL);  // need not exist
  auto* e = w.add_external_data();
  e->set_key("location");
  e->set_value("m.weights");
  m.node("Relu", {"x"}, {"a"});
  m.node("Relu", {"a"}, {"b"});
  auto& n = m.node("If", {"b"}, {"y"});
  auto* branch = n.add_attribute();
  branch->set_name("then_branch");
  ModelMaker::add_node(*branch->mutable_g(), "Op", {}, {"z"}).set_domain("com.x");

  ModelSummary s = summarize_onnx(folder.write("m.onnx", m.bytes()));
  EXPECT_EQ(s.graph_name, "g");
  EXPECT_EQ(s.producer, "maker");
  EXPECT_EQ(s.ir_version, 8);
  EXPECT_EQ(s.opsets.at(""), 17);
  ASSERT_EQ(s.inputs.size(), 1u);
  EXPECT_EQ(s.inputs[0].type, "float32");
  EXPECT_EQ(s.inputs[0].dims, (std::vector<std::string>{"batch", "3", "?"}));
  EXPECT_EQ(s.outputs[0].type, "unknown");
  EXPECT_EQ(s.operators, (std::map<std::string, int64_t>{{"Relu", 2}, {"If", 1}, {"com.x.Op", 1}}));
  EXPECT_EQ(s.nodes, 4);
  EXPECT_EQ(s.parameters, 6);
  EXPECT_EQ(s.parameter_bytes, 12);
  EXPECT_EQ(s.external_files, std::vector<std::string>{"m.weights"});
}

TEST(Summary, NamesTheFile) {
  TempFolder folder;
  std::string path = folder.write("bad.onnx", "x");
  EXPECT_TRUE(error_of([&] { summarize_onnx(path); }).starts_with(path + ": "));
}

}  // namespace
}  // namespace cppgen
