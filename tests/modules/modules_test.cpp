// Models of several plans: control flow, sequences, and dimensions that only a run knows, compiled and interpreted.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

onnx::GraphProto& body_of(onnx::NodeProto& node, const std::string& name) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->set_name(name);
  return *a.mutable_g();
}

// if (c) y = x + x else y = x[0:1]: the branches differ in shape, and x comes from around them.
TEST(Modules, BranchesTakeWhatIsAroundThem) {
  ModelMaker m;
  m.input("c", {}, onnx::TensorProto::BOOL).input("x", {"N"}).output("z");
  auto& bound = m.initializer("zero", {1}, onnx::TensorProto::INT64);
  bound.add_int64_data(0);
  m.initializer("one", {1}, onnx::TensorProto::INT64).add_int64_data(1);
  auto& branch = m.node("If", {"c"}, {"y"}, "choice");
  auto& yes = body_of(branch, "then_branch");
  ModelMaker::add_node(yes, "Add", {"x", "x"}, {"a"});
  yes.add_output()->set_name("a");
  auto& no = body_of(branch, "else_branch");
  ModelMaker::add_node(no, "Slice", {"x", "zero", "one"}, {"b"});
  no.add_output()->set_name("b");
  m.node("Neg", {"y"}, {"z"});
  const Model model(m);
  EXPECT_EQ(numbers(model.run({truth(true), floats({3}, {1, 2, 3})})[0]), (std::vector<float>{-2, -4, -6}));
  EXPECT_EQ(numbers(model.run({truth(false), floats({3}, {1, 2, 3})})[0]), (std::vector<float>{-1}));
}

// A carried value that grows, and one that is stacked: a loop of n rounds appends x to v.
ModelMaker growing_loop() {
  ModelMaker m;
  m.input("n", {}, onnx::TensorProto::INT64).input("x", {"K"}).output("v").output("sums");
  auto& loop = m.node("Loop", {"n", "", "x"}, {"v", "sums"}, "grow");
  auto& body = body_of(loop, "body");
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  auto& axis = *ModelMaker::add_node(body, "Concat", {"in", "x"}, {"out"}).add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(0);
  ModelMaker::add_node(body, "ReduceSum", {"out"}, {"sum"});
  ModelMaker::add_node(body, "Identity", {"go"}, {"still"});
  for (const char* name : {"still", "out", "sum"}) body.add_output()->set_name(name);
  return m;
}

TEST(Modules, CarriedValuesMayGrow) {
  const Model model(growing_loop());
  const auto results = model.run({ints({}, {2}), floats({2}, {1, 2})});
  EXPECT_EQ(numbers(results[0]), (std::vector<float>{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(numbers(results[1]), (std::vector<float>{6, 9}));
  EXPECT_EQ(results[1].tensor()->dims(), (std::vector<int64_t>{2, 1}));
}

TEST(Modules, ALoopMayHaveNoRounds) {
  const auto results = Model(growing_loop()).run({ints({}, {0}), floats({2}, {1, 2})});
  EXPECT_EQ(numbers(results[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(results[1].tensor()->dims(), (std::vector<int64_t>{0, 1}));
}

// Positions that only the data decide, then work on as many elements.
TEST(Modules, DimensionsOfTheDataReachKernels) {
  ModelMaker m;
  m.input("x", {"A", "B"}).output("y");
  m.node("NonZero", {"x"}, {"at"});
  auto& perm = *m.node("Transpose", {"at"}, {"rows"}).add_attribute();
  perm.set_name("perm");
  perm.set_type(onnx::AttributeProto::INTS);
  perm.add_ints(1);
  perm.add_ints(0);
  m.node("GatherND", {"x", "rows"}, {"found"});
  m.node("Mul", {"found", "found"}, {"y"});
  const Model model(m);
  EXPECT_EQ(numbers(model.run({floats({2, 3}, {0, 2, 0, 3, 0, 4})})[0]), (std::vector<float>{4, 9, 16}));
  EXPECT_TRUE(numbers(model.run({floats({2, 2}, {0, 0, 0, 0})})[0]).empty());
}

ModelMaker reshape_by_input() {
  ModelMaker m;
  m.input("x", {"N"}).input("shape", {"2"}, onnx::TensorProto::INT64).output("y");
  m.node("Reshape", {"x", "shape"}, {"r"}, "to_shape");
  m.node("Neg", {"r"}, {"y"});
  return m;
}

TEST(Modules, AShapeMayBeAnInput) {
  const Model model(reshape_by_input());
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2, 3}, {-1, 2}, {1, 6}, {0, 1}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto y = model.run({floats({6}, {1, 2, 3, 4, 5, 6}), ints({2}, shape)});
    EXPECT_EQ(y[0].tensor()->elements(), 6);
  }
}

TEST(Modules, AShapeThatDoesNotFitIsTheUsersError) {
  const Model model(reshape_by_input());
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2, 2}, {-1, -1}, {-1, 4}, {-2, 3}}) {
    const std::vector<Value> inputs{floats({6}, {1, 2, 3, 4, 5, 6}), ints({2}, shape)};
    EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("to_shape"), std::string::npos);
    EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("to_shape"), std::string::npos);
  }
}

TEST(Modules, SequencesKeepTheirElements) {
  ModelMaker m;
  m.input("x", {"N"}).input("at", {}, onnx::TensorProto::INT64).output("all").output("one");
  m.node("Neg", {"x"}, {"minus"});
  m.node("SequenceConstruct", {"x", "minus"}, {"pair"});
  m.node("SequenceInsert", {"pair", "minus", "at"}, {"all"}, "insert");
  m.node("SequenceAt", {"all", "at"}, {"picked"});
  m.node("Add", {"picked", "x"}, {"one"});
  const Model model(m);
  const auto results = model.run({floats({2}, {1, 2}), ints({}, {0})});
  ASSERT_TRUE(results[0].sequence());
  EXPECT_EQ(results[0].sequence()->size(), 3u);
  EXPECT_EQ(numbers(results[1]), (std::vector<float>{0, 0}));
  EXPECT_NE(error_of([&] { model.compiled({floats({1}, {1}), ints({}, {3})}, 1); }).find("insert"), std::string::npos);
}

TEST(Modules, UnsupportedNodesOfBodiesAreReportedTogether) {
  ModelMaker m;
  m.input("c", {}, onnx::TensorProto::BOOL).input("x", {"N"}).output("y");
  auto& branch = m.node("If", {"c"}, {"y"}, "choice");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& body = body_of(branch, name);
    const std::string out = std::string(name) + "_out";
    ModelMaker::add_node(body, "NoSuchOp", {"x"}, {out}, std::string("bad_") + name);
    body.add_output()->set_name(out);
  }
  TempFolder folder;
  CompileRequest request;
  request.model = folder.write("m.onnx", m.bytes());
  const std::string error = error_of([&] { ReferenceModel model(request); });
  EXPECT_NE(error.find("bad_then_branch"), std::string::npos) << error;
  EXPECT_NE(error.find("bad_else_branch"), std::string::npos) << error;
}

TEST(Modules, ADamagedModuleIsTheUsersError) {
  for (const char* text :
       {"", "{}", "[1]", R"({"model":"m","isa":"avx2","plans":1,"inputs":[],"outputs":[],"bodies":[]})",
        R"({"model":"m","isa":"avx2","plans":0,"inputs":[],"outputs":[],"bodies":[{"slots":1,)"
        R"("inputs":0,"outputs":[0],"steps":[]}]})"})
    EXPECT_THROW(rt::module_from_json(text), UserError) << text;
}

}  // namespace
}  // namespace cppgen::modules
