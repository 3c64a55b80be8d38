// Real networks from file to result: every instruction set, engine and number of threads gives the expected outputs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/session/verify.h"
#include "tests/isas_to_test.h"

namespace cppgen {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> networks() {
  const char* chosen = std::getenv("CPPGEN_TEST_NETWORKS");
  if (chosen && std::string(chosen) == "slow")
    return {"alexnet", "bert_base", "densenet121_opset9", "gpt2_small", "inception_v1", "resnet50", "vit_b_16"};
#ifdef __SANITIZE_ADDRESS__
  return {"squeezenet1_1", "dlrm"};  // g++ takes minutes for sanitized kernels of the others
#else
  return {"squeezenet1_1", "mobilenet_v2", "shufflenet_v1", "dlrm"};
#endif
}

std::string stem(const std::string& network) { return std::string(CPPGEN_MODELS_DIR) + "/" + network; }

class Models : public testing::TestWithParam<std::string> {
 protected:
  Models() : cache_(system_temp_directory(), "cppgen-models-test.") {}

  CompileRequest request(Options options) const {
    options.push_back({"CACHE_DIR", cache_.path() + "/cache"});
    CompileRequest r;
    r.model = stem(GetParam()) + ".onnx";
    r.settings = Settings::from_environment({}, options);
    return r;
  }

  static std::shared_ptr<const rt::Executable> load(const CompiledModel& model) {
    return rt::Executable::load(model.package, {model.trusted});
  }

  static rt::SessionOptions threads(int64_t count) {
    rt::SessionOptions options;
    options.threads = count;
    return options;
  }

  static void expect_verified(const CompiledModel& model, int64_t count) {
    rt::Session session(load(model), threads(count));
    auto report = rt::verify(session, rt::read_test_case(stem(GetParam()), session.plan()));
    EXPECT_TRUE(report.ok()) << count << " threads\n" << report.text();
  }

 private:
  TempDirectory cache_;
};

std::vector<rt::TensorView> views(const std::vector<rt::Tensor>& tensors) {
  std::vector<rt::TensorView> list;
  for (const auto& t : tensors) list.push_back(t.view());
  return list;
}

void expect_same_bits(const rt::Tensor& a, const rt::Tensor& b) {
  ASSERT_EQ(a.dims(), b.dims());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), size_t(a.bytes())), 0);
}

TEST_P(Models, VerifyOnEveryInstructionSetAndEngine) {
  for (const VecISA* isa : isas_to_test()) {
    for (const auto& [products, convolutions] : {std::pair{"CPP", "CPP"},
                                                 {"XSMM,CPP", "XSMM,CPP"},
                                                 {"ONEDNN,CPP", "ONEDNN,CPP"},
                                                 {"CPP", "WINOGRAD_4X4,CPP"}}) {
      SCOPED_TRACE(std::string(isa->name) + " " + products + " " + convolutions);
      auto model = compile_model(request({{"ISA", std::string(isa->name)},
                                          {"MAX_AUTOTUNE_GEMM_BACKENDS", products},
                                          {"MAX_AUTOTUNE_CONV_BACKENDS", convolutions}}));
      EXPECT_EQ(model.report.isa, isa->name);
      for (int64_t count : {1, 2}) expect_verified(model, count);
    }
  }
}

TEST_P(Models, TheInterpreterGivesTheExpectedOutputs) {
  auto r = request({});
  auto model = compile_model(r);
  auto test = rt::read_test_case(stem(GetParam()), load(model)->plan());
  std::vector<ir::HostTensor> inputs;
  for (const auto& t : test.inputs) {
    auto* bytes = static_cast<const std::byte*>(t.data());
    inputs.push_back({t.type(), t.dims(), {bytes, bytes + t.bytes()}});
  }
  std::vector<rt::Tensor> outputs;
  for (const auto& t : ReferenceModel(r).run(inputs)) {
    outputs.emplace_back(t.type, t.dims);
    std::memcpy(outputs.back().data(), t.bytes.data(), t.bytes.size());
  }
  auto report = rt::compare_outputs(test.outputs, outputs);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST_P(Models, SameBitsOnAnyNumberOfThreads) {
  auto executable = load(compile_model(request({})));
  auto test = rt::read_test_case(stem(GetParam()), executable->plan());
  auto inputs = views(test.inputs);
  auto expected = rt::Session(executable, threads(1)).run(inputs);
  const auto expect_same = [&](const rt::SessionOptions& options) {
    auto outputs = rt::Session(executable, options).run(inputs);
    for (size_t i = 0; i < expected.size(); i++) expect_same_bits(expected[i], outputs[i]);
  };
  for (int64_t count : {2, 3, 8}) {
    SCOPED_TRACE(count);
    expect_same(threads(count));
    rt::SessionOptions streams = threads(count);
    streams.multistream_mode = true;
    expect_same(streams);
  }
}

TEST_P(Models, AWarmLoadStartsNoCompiler) {
  const TempDirectory folder(::testing::TempDir(), "cppgen-models.");
  const std::string compiler = folder.path() + "/c++", broken = folder.path() + "/broken";
  ASSERT_EQ(write_file(compiler, "#!/bin/sh\n[ ! -e " + broken + " ] || exit 1\nexec g++ \"$@\"\n"), 0);
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  auto cold = compile_model(request({{"CXX", compiler}}));
  EXPECT_FALSE(cold.report.from_cache);
  ASSERT_EQ(write_file(broken, ""), 0);
  auto warm = compile_model(request({{"CXX", compiler}}));
  EXPECT_TRUE(warm.report.from_cache);
  expect_verified(warm, 2);
}

rt::Tensor random_images(std::vector<int64_t> dims, uint32_t seed) {
  rt::Tensor x(DType::f32, std::move(dims));
  std::mt19937 random(seed);
  for (int64_t i = 0; i < x.elements(); i++) x.as<float>()[i] = float(random() >> 8) / (1 << 23) - 1;
  return x;
}

// Row `row` of the leading dimension alone.
rt::Tensor row_of(const rt::Tensor& x, int64_t row) {
  auto dims = x.dims();
  dims[0] = 1;
  rt::Tensor y(x.type(), dims);
  std::memcpy(y.data(), static_cast<const char*>(x.data()) + row * y.bytes(), size_t(y.bytes()));
  return y;
}

// Networks without constants that fix the batch.
std::vector<std::string> networks_of_any_batch() {
  const std::set<std::string> any{"squeezenet1_1", "mobilenet_v2", "resnet50"};
  auto list = networks();
  std::erase_if(list, [&](const std::string& name) { return !any.count(name); });
  return list;
}

class ModelsOfAnyBatch : public Models {};

TEST_P(ModelsOfAnyBatch, OnePackageServesEverySize) {
  auto r = request({});
  std::string input = load(compile_model(r))->plan().inputs[0].name;
  r.dims = {{input, 0, "N", {}}};
  auto model = compile_model(r);
  expect_verified(model, 2);
  rt::Session session(load(model), threads(2));
  for (int64_t batch : {1, 3, 8}) {
    SCOPED_TRACE(batch);
    rt::Tensor x = random_images({batch, 3, 224, 224}, 7);
    const rt::TensorView all[] = {x.view()};
    auto y = session.run(all);
    for (int64_t row = 0; row < batch; row++) {
      rt::Tensor one = row_of(x, row);
      const rt::TensorView alone[] = {one.view()};
      expect_same_bits(session.run(alone)[0], row_of(y[0], row));
    }
  }
}

// Every input of every network with its first dimension made symbolic: either each size works, or nodes of the model
// fix it, which the run says.
class ModelsOfSymbolicBatch : public Models {
 protected:
  CompileRequest symbolic_request() const {
    auto r = request({});
    const auto executable = load(compile_model(r));
    for (const auto& input : executable->plan().inputs) r.dims.push_back({input.name, 0, "N", {}});
    return r;
  }
};

rt::Tensor first_rows(const rt::Tensor& x, int64_t count) {
  auto dims = x.dims();
  dims[0] = count;
  rt::Tensor y(x.type(), dims);
  const int64_t row = x.bytes() / x.dims()[0];
  for (int64_t i = 0; i < count; i++)
    std::memcpy(static_cast<char*>(y.data()) + i * row, static_cast<const char*>(x.data()) + i % x.dims()[0] * row,
                size_t(row));
  return y;
}

TEST_P(ModelsOfSymbolicBatch, RowsAreThoseOfOneRow) {
  auto executable = load(compile_model(symbolic_request()));
  rt::Session session(executable, threads(2));
  auto test = rt::read_test_case(stem(GetParam()), session.plan());
  auto rows = [&](int64_t count) {
    std::vector<rt::Tensor> inputs;
    for (const auto& x : test.inputs) inputs.push_back(first_rows(x, count));
    return session.run(views(inputs));
  };
  if (session.plan().symbols.empty()) {
    EXPECT_TRUE(rt::compare_outputs(test.outputs, session.run(views(test.inputs))).ok());
    EXPECT_THROW(rows(test.inputs[0].dims()[0] + 1), UserError);
    return;
  }
  const auto one = rows(1), two = rows(2);
  for (size_t i = 0; i < one.size(); i++) {
    expect_same_bits(first_rows(two[i], 1), one[i]);
    expect_same_bits(first_rows(one[i], 1), first_rows(rows(3)[i], 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Real, ModelsOfSymbolicBatch, testing::ValuesIn(networks()),
                         [](const auto& p) { return p.param; });
INSTANTIATE_TEST_SUITE_P(Real, Models, testing::ValuesIn(networks()), [](const auto& p) { return p.param; });
INSTANTIATE_TEST_SUITE_P(Real, ModelsOfAnyBatch, testing::ValuesIn(networks_of_any_batch()),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace cppgen
