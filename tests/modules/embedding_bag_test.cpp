// The Loop over bags that exporters write, in its forms; each is compared with the meaning, and with a Loop that is
// not recognised because it has a second output.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

struct Form {
  const char* reduce;
  int opset;
  bool factors, table_outside, recognised;
};

class BagModel {
 public:
  explicit BagModel(const Form& f) : f_(f), m(f.opset) {
    m.input("indices", {"K"}, onnx::TensorProto::INT64).input("offsets", {"B"}, onnx::TensorProto::INT64);
    if (f.factors) m.input("factors", {"K"});
    if (f.table_outside) m.input("table", {"V", "2"});
    if (!f.table_outside) {
      auto& table = m.initializer("table", {4, 2}, onnx::TensorProto::FLOAT);
      for (float v : {1.f, -2.f, 3.f, 4.f, -5.f, 6.f, 7.f, 8.f}) table.add_float_data(v);
    }
    for (const auto& [name, value] : {std::pair("zero", 0), {"one", 1}})
      m.initializer(name, {1}, onnx::TensorProto::INT64).add_int64_data(value);
    m.initializer("most", {1}, onnx::TensorProto::INT64).add_int64_data(INT64_MAX);
    m.initializer("first", {}, onnx::TensorProto::INT64).add_int64_data(0);
    m.initializer("condition", {}, onnx::TensorProto::BOOL).add_int32_data(1);
    m.node("Shape", {"indices"}, {"length"});
    set_attribute(m.node("Concat", {"offsets", "length"}, {"all"}), "axis", 0);
    m.node("Slice", {"all", "zero", "most", "zero", "one"}, {"starts"});
    m.node("Slice", {"all", "one", "most", "zero", "one"}, {"ends"});
    m.node("Shape", {"ends"}, {"bags"});
    m.node("Gather", {"bags", "first"}, {"rounds"});
    std::vector<std::string> results{"y"};
    if (!f.recognised) results.push_back("sizes");
    auto& a = *m.node("Loop", {"rounds", "condition"}, results, "bags").add_attribute();
    a.set_name("body");
    a.set_type(onnx::AttributeProto::GRAPH);
    add_body(*a.mutable_g());
    for (const auto& name : results) m.output(name);
  }
  const ModelMaker& model() const { return m; }

 private:
  const Form& f_;
  ModelMaker m;

  static void set_list(onnx::NodeProto& node, int64_t value) {
    auto& a = *node.add_attribute();
    a.set_name("axes");
    a.set_type(onnx::AttributeProto::INTS);
    a.add_ints(value);
  }
  void unsqueeze(onnx::GraphProto& g, const char* from, const char* to, bool last) const {
    if (f_.opset >= 13) {
      ModelMaker::add_node(g, "Unsqueeze", {from, last ? "one" : "zero"}, {to});
    } else {
      set_list(ModelMaker::add_node(g, "Unsqueeze", {from}, {to}), last);
    }
  }
  void add_body(onnx::GraphProto& g) const {
    g.set_name("body");
    for (const char* name : {"round", "go"}) g.add_input()->set_name(name);
    ModelMaker::add_node(g, "Gather", {"starts", "round"}, {"s0"});
    ModelMaker::add_node(g, "Gather", {"ends", "round"}, {"e0"});
    unsqueeze(g, "s0", "s", false);
    unsqueeze(g, "e0", "e", false);
    ModelMaker::add_node(g, "Slice", {"indices", "s", "e", "zero"}, {"mine"});
    ModelMaker::add_node(g, "Gather", {"table", "mine"}, {"rows"});
    if (f_.factors) {
      ModelMaker::add_node(g, "Slice", {"factors", "s", "e", "zero"}, {"f0"});
      unsqueeze(g, "f0", "f", true);
      ModelMaker::add_node(g, "Mul", {"rows", "f"}, {"weighted"});
    }
    const std::string rows = f_.factors ? "weighted" : "rows";
    const bool as_input = f_.opset >= 18 || (f_.opset >= 13 && std::string(f_.reduce) == "ReduceSum");
    auto& reduce = ModelMaker::add_node(
        g, f_.reduce, as_input ? std::vector<std::string>{rows, "zero"} : std::vector<std::string>{rows}, {"bag"});
    if (!as_input) set_list(reduce, 0);
    set_attribute(reduce, "keepdims", 0);
    ModelMaker::add_node(g, "Identity", {"condition"}, {"still"});
    for (const char* name : {"still", "bag"}) g.add_output()->set_name(name);
    if (f_.recognised) return;
    ModelMaker::add_node(g, "Shape", {"mine"}, {"size"});
    g.add_output()->set_name("size");
  }
};

std::vector<Value> inputs_of(const Form& f) {
  std::vector<Value> inputs{ints({6}, {0, 3, -1, 1, 2, 2}), ints({5}, {0, 2, 2, 3, 6})};
  if (f.factors) inputs.push_back(floats({6}, {1, 0.5f, 2, -1, 1, 3}));
  if (f.table_outside) inputs.push_back(floats({4, 2}, {1, -2, 3, 4, -5, 6, 7, 8}));
  return inputs;
}

bool is_loop(const ModelMaker& m) {
  TempFolder folder;
  CompileRequest request;
  request.model = folder.write("m.onnx", m.bytes());
  const ReferenceModel model(request);
  for (const rt::HostBody& body : model.module()->bodies)
    for (const rt::HostStep& step : body.steps)
      if (step.op == rt::HostOp::loop) return true;
  return false;
}

TEST(EmbeddingBag, EveryFormIsTheLoop) {
  for (const char* reduce : {"ReduceSum", "ReduceMean", "ReduceMax"})
    for (const auto& [opset, factors, outside] :
         {std::tuple(11, false, false), {13, true, false}, {17, false, true}, {18, true, true}}) {
      SCOPED_TRACE(std::string(reduce) + " " + std::to_string(opset));
      const Form form{reduce, opset, factors, outside, true}, loop{reduce, opset, factors, outside, false};
      EXPECT_FALSE(is_loop(BagModel(form).model()));
      ASSERT_TRUE(is_loop(BagModel(loop).model()));
      const auto inputs = inputs_of(form);
      const auto expected = Model(BagModel(loop).model()).interpreted(inputs);
      const auto actual = Model(BagModel(form).model()).run(inputs);
      Model::expect_same(actual[0], expected[0]);
    }
}

TEST(EmbeddingBag, BagsWithoutMembers) {
  const Form form{"ReduceSum", 17, true, false, true};
  const Model model(BagModel(form).model());
  const auto none = model.run({ints({0}, {}), ints({2}, {0, 0}), floats({0}, {})});
  EXPECT_EQ(numbers(none[0]), (std::vector<float>{0, 0, 0, 0}));
  const auto no_bags = model.run({ints({1}, {1}), ints({0}, {}), floats({1}, {1})});
  EXPECT_EQ(no_bags[0].tensor()->dims(), (std::vector<int64_t>{0, 2}));
}

TEST(EmbeddingBag, AnIndexOutsideOfTheTableIsTheUsersError) {
  const Form form{"ReduceSum", 17, false, false, true};
  const Model model(BagModel(form).model());
  const std::vector<Value> inputs{ints({1}, {4}), ints({1}, {0})};
  EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("bags"), std::string::npos);
}

}  // namespace
}  // namespace cppgen::modules
