// Attention from file to result: the same bits on any number of threads, for any batch and sequence.
#include <cstring>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/session/session.h"
#include "tests/import/model_maker.h"
#include "tests/isas_to_test.h"

namespace cppgen {
namespace {

rt::Tensor filled(std::vector<int64_t> dims, float step) {
  rt::Tensor t(DType::f32, std::move(dims));
  for (int64_t i = 0; i < t.elements(); i++) t.as<float>()[i] = float(i % 101) * step - 0.5f;
  return t;
}

std::shared_ptr<const rt::Executable> compiled(const std::string& directory, const std::string& isa) {
  ModelMaker maker(23);
  for (const char* name : {"q", "k", "v"}) maker.input(name, {"B", "S", "48"});
  auto& node = maker.output("y").node("Attention", {"q", "k", "v"}, {"y"});
  for (auto [name, value] : {std::pair{"q_num_heads", 3}, {"kv_num_heads", 3}, {"is_causal", 1}}) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name), attribute.set_i(value), attribute.set_type(onnx::AttributeProto::INT);
  }
  CompileRequest request;
  request.model = directory + "/attention.onnx";
  std::ofstream(request.model, std::ios::binary) << maker.model.SerializeAsString();
  const std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", directory + "/cache"}, {"ISA", isa}};
  request.settings = Settings::from_environment({}, options);
  const CompiledModel model = compile_model(request);
  return rt::Executable::load(model.package, {model.trusted});
}

TEST(AttentionThreads, SameBitsOnAnyNumberOfThreads) {
  TempDirectory temp(system_temp_directory(), "cppgen-attention.");
  for (const VecISA* isa : isas_to_test()) {
    const auto executable = compiled(temp.path(), std::string(isa->name));
    for (auto [batch, sequence] : {std::pair<int64_t, int64_t>{1, 1}, {2, 33}, {1, 700}}) {
      SCOPED_TRACE(std::string(isa->name) + " " + std::to_string(sequence));
      const std::vector<int64_t> dims{batch, sequence, 48};
      const rt::Tensor q = filled(dims, 0.01f), k = filled(dims, 0.02f), v = filled(dims, 0.03f);
      const std::vector<rt::TensorView> inputs{q.view(), k.view(), v.view()};
      const auto on = [&](int64_t threads) {
        rt::SessionOptions options;
        options.threads = threads;
        return std::move(rt::Session(executable, options).run(inputs)[0]);
      };
      const rt::Tensor expected = on(1);
      for (int64_t threads : {2, 3}) {
        const rt::Tensor actual = on(threads);
        ASSERT_EQ(actual.dims(), expected.dims());
        EXPECT_EQ(std::memcmp(actual.data(), expected.data(), size_t(expected.bytes())), 0) << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace cppgen
