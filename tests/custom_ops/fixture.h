#pragma once
#include "cppgen/flow/compile/compiler.h"
#include "tests/modules/model_runs.h"

namespace cppgen::custom_test {

using modules::floats;
using modules::ints;
using modules::numbers;
using rt::Value;

// A model with nodes of com.mycompany, and descriptions of them; run compiled and interpreted, which must agree.
class Custom {
 public:
  Custom() : maker(17) {
    auto& own = *maker.model.add_opset_import();
    own.set_domain("com.mycompany"), own.set_version(1);
  }

  ModelMaker maker;

  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& in,
                        const std::vector<std::string>& out) {
    onnx::NodeProto& n = ModelMaker::add_node(maker.graph, op, in, out, "the_node");
    n.set_domain("com.mycompany");
    return n;
  }
  std::string describe(const std::string& json, const std::string& name = "ops.json") {
    return folder.write(name, json);
  }
  CompileRequest request(const std::string& descriptions) const {
    CompileRequest r;
    r.model = folder.write("m.onnx", maker.bytes());
    const std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", (folder.path / "cache").string()}};
    r.settings = Settings::from_environment({}, options);
    r.custom_operators = {descriptions};
    return r;
  }

  std::vector<Value> interpreted(const std::string& descriptions, const std::vector<Value>& inputs) const {
    const ReferenceModel model(request(descriptions));
    const rt::Plan plan = reference_plan(model);
    return reference_runner(model, plan).run_values(inputs);
  }
  std::vector<Value> compiled(const std::string& descriptions, const std::vector<Value>& inputs) const {
    const CompiledModel model = compile_model(request(descriptions));
    rt::SessionOptions options;
    options.threads = 1, options.custom_ops = descriptions;
    return rt::Session(rt::Executable::load(model.package), options).run_values(inputs);
  }
  // The results of both, which agree.
  std::vector<Value> run(const std::string& descriptions, const std::vector<Value>& inputs) const {
    const auto expected = interpreted(descriptions, inputs), found = compiled(descriptions, inputs);
    EXPECT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < found.size(); i++) {
      const bool rounds = expected[i].tensor()->type() == DType::f32;
      rounds ? modules::Model::expect_near(found[i], expected[i]) : modules::Model::expect_same(found[i], expected[i]);
    }
    return expected;
  }
  std::string error(const std::string& descriptions) const {
    try {
      const ReferenceModel model(request(descriptions));
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  }

  TempFolder folder;
};

inline void expect_values(const Value& v, const std::vector<float>& expected) {
  const std::vector<float> found = numbers(v);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); i++) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

}  // namespace cppgen::custom_test
