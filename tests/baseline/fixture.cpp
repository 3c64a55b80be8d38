#include "tests/baseline/fixture.h"

#include <cmath>
#include <cstring>

#include "runtime/session/session.h"

namespace cppgen::baseline {
namespace {

void expect_close(const ir::HostTensor& expected, const rt::Tensor& actual) {
  ASSERT_EQ(expected.type, actual.type());
  ASSERT_EQ(expected.dims, actual.dims());
  if (expected.type != DType::f32) {
    EXPECT_EQ(std::memcmp(expected.bytes.data(), actual.data(), expected.bytes.size()), 0);
    return;
  }
  const auto* e = reinterpret_cast<const float*>(expected.bytes.data());
  for (int64_t i = 0; i < actual.elements(); i++) {
    const float a = actual.as<float>()[i];
    ASSERT_LE(std::abs(a - e[i]), 2e-5f + 1e-4f * std::abs(e[i])) << "element " << i << ": " << a << ", not " << e[i];
  }
}

std::vector<int64_t> dims_of(const Value& value) {
  std::vector<int64_t> dims;
  for (const IndexExpr& extent : value.type->shape) dims.push_back(extent.constant());
  return dims;
}

ir::HostTensor sample_of(const Value& value, uint32_t seed) {
  const std::vector<int64_t> dims = dims_of(value);
  if (value.type->dtype == DType::f32) return sample(DType::f32, dims, seed);
  std::vector<int64_t> elements;
  for (int64_t i = 0, n = rt::element_count(dims); i < n; i++) elements.push_back(i % 7 - 3);
  const Tensor tensor = make_ints(elements);
  const auto* bytes = static_cast<const std::byte*>(tensor.data.bytes);
  return {DType::i64, dims, {bytes, bytes + tensor.data.size}};
}

}  // namespace

BaselineTest::BaselineTest() : cache_(system_temp_directory(), "cppgen-baseline-test.") {}

CompileRequest BaselineTest::request(const std::string& model) const {
  CompileRequest r;
  r.model = model;
  const std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", cache_.path() + "/cache"}};
  r.settings = Settings::from_environment({}, options);
  return r;
}

CompileGroup BaselineTest::compiler() {
  return [this](Graph group, std::unique_ptr<rt::Executor> executor) {
    compiled_.push_back(compile_graph(std::move(group), request("group.onnx")));
    auto executable = rt::Executable::load(compiled_.back().package, {.trust_weights = true});
    return std::make_unique<rt::Session>(std::move(executable), rt::SessionOptions(), std::move(executor));
  };
}

Report BaselineTest::expect_same(Graph graph, int threads) {
  std::vector<ir::HostTensor> inputs;
  std::vector<rt::TensorView> views;
  for (ValueId in : graph.inputs) inputs.push_back(sample_of(graph.value(in), uint32_t(inputs.size() + 1)));
  for (const auto& in : inputs) views.push_back({in.type, in.dims, in.bytes.data()});
  Graph copy = graph;
  const auto expected = ir::interpret(ops::lower(copy), inputs);

  const auto baseline = make_onednn_graph(std::move(graph), threads, compiler());
  for (int run = 0; run < 2; run++) {
    std::vector<rt::Tensor> outputs = baseline->new_outputs();
    std::vector<rt::OutputView> output_views;
    for (rt::Tensor& out : outputs) output_views.push_back(out.output());
    baseline->run(views, output_views);
    EXPECT_EQ(expected.size(), outputs.size());
    for (size_t i = 0; i < expected.size(); i++) {
      SCOPED_TRACE("output " + std::to_string(i));
      expect_close(expected[i], outputs[i]);
    }
  }
  return baseline->report();
}

std::vector<std::string> kinds(const Report& report) {
  std::vector<std::string> list;
  for (const StepReport& step : report.steps) list.push_back(step.kind);
  return list;
}

}  // namespace cppgen::baseline
