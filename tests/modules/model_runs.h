#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/explain/explain.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/flow/reference/reference_plan.h"
#include "runtime/session/session.h"
#include "tests/import/model_maker.h"

namespace cppgen::modules {

using rt::Value;

template <class T>
Value tensor(DType type, std::vector<int64_t> dims, const std::vector<T>& values) {
  rt::Tensor t(type, std::move(dims));
  if (!values.empty()) std::memcpy(t.data(), values.data(), values.size() * sizeof(T));
  return t;
}
inline Value floats(std::vector<int64_t> dims, const std::vector<float>& v) {
  return tensor(DType::f32, std::move(dims), v);
}
inline Value ints(std::vector<int64_t> dims, const std::vector<int64_t>& v) {
  return tensor(DType::i64, std::move(dims), v);
}
inline Value truth(bool v) { return rt::tensor_of(v); }

inline std::vector<float> numbers(const Value& v) {
  const rt::Tensor* t = v.tensor();
  EXPECT_TRUE(t && t->type() == DType::f32);
  return {t->as<float>(), t->as<float>() + t->elements()};
}

// A model on disk, run compiled on one and two threads and on the interpreter: all must give the same bits, but for
// what the library sums in another order.
class Model {
 public:
  explicit Model(const ModelMaker& maker) {
    request_.model = folder_.write("m.onnx", maker.bytes());
    const std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", (folder_.path / "cache").string()}};
    request_.settings = Settings::from_environment({}, options);
  }

  // One more setting, such as COMPILER_OPT.
  Model(const ModelMaker& maker, const std::string& setting, const std::string& value) : Model(maker) {
    const std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", (folder_.path / "cache").string()},
                                                                   {setting, value}};
    request_.settings = Settings::from_environment({}, options);
  }

  Model& rounding_otherwise() { return rounds_otherwise_ = true, *this; }

  std::vector<Value> run(const std::vector<Value>& inputs) const {
    std::vector<Value> expected = interpreted(inputs);
    const std::vector<Value> one = compiled(inputs, 1), two = compiled(inputs, 2);
    EXPECT_EQ(one.size(), expected.size());
    for (size_t i = 0; i < one.size(); i++) {
      rounds_otherwise_ ? expect_near(one[i], expected[i]) : expect_same(one[i], expected[i]);
      expect_same(two[i], one[i]);
    }
    return expected;
  }

  std::vector<Value> interpreted(const std::vector<Value>& inputs) const {
    const ReferenceModel model(request_);
    const rt::Plan plan = reference_plan(model);
    return reference_runner(model, plan).run_values(inputs);
  }
  std::vector<Value> compiled(const std::vector<Value>& inputs, int64_t threads) const {
    const CompiledModel model = compile_model(request_);
    rt::SessionOptions options;
    options.threads = threads;
    return rt::Session(rt::Executable::load(model.package), options).run_values(inputs);
  }

  bool has_host_steps() const {
    const auto executable = rt::Executable::load(compile_model(request_).package);
    const auto& steps = executable->plan().steps;
    return std::any_of(steps.begin(), steps.end(), [](const rt::Step& step) { return step.engine == "host"; });
  }

  // The decisions, a line each: rule, yes or no, subject.
  std::string decisions() const {
    std::string text;
    for (const auto& e : explain_model(request_).decisions.entries)
      text += e.rule + (e.decision ? " yes " : " no ") + e.subject + "\n";
    return text;
  }

  // The library steps of a model that is one plan.
  std::vector<std::string> library_steps() const {
    const auto executable = rt::Executable::load(compile_model(request_).package);
    std::vector<std::string> names;
    for (const rt::Step& step : executable->plan().steps)
      if (step.kind == rt::StepKind::library) names.push_back(step.name);
    return names;
  }

  static void expect_near(const Value& a, const Value& b) {
    ASSERT_EQ(a.description(), b.description());
    const auto x = numbers(a), y = numbers(b);
    for (size_t i = 0; i < x.size(); i++) EXPECT_NEAR(x[i], y[i], 1e-5);
  }

  static void expect_same(const Value& a, const Value& b) {
    ASSERT_EQ(a.description(), b.description());
    if (a.tensor()) {
      EXPECT_EQ(std::memcmp(a.tensor()->data(), b.tensor()->data(), size_t(a.tensor()->bytes())), 0);
    } else if (a.strings()) {
      EXPECT_EQ(a.strings()->elements, b.strings()->elements);
    } else if (a.sequence()) {
      for (size_t i = 0; i < a.sequence()->size(); i++) expect_same((*a.sequence())[i], (*b.sequence())[i]);
    }
  }

 private:
  TempFolder folder_;
  CompileRequest request_;
  bool rounds_otherwise_ = false;
};

inline void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
}
inline void set_attribute(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}
inline void set_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INTS);
  for (int64_t v : values) a.add_ints(v);
}

}  // namespace cppgen::modules
