// Kernels compiled under AddressSanitizer: real networks touch nothing but their own memory, and an overrun that is
// planted in a kernel is caught.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/session/session.h"
#include "runtime/session/verify.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

const std::string kModels = CPPGEN_MODELS_DIR;

class Network : public testing::TestWithParam<const char*> {};

TEST_P(Network, TouchesItsOwnMemoryOnly) {
  std::string name = GetParam(), model = kModels + "/" + name + ".onnx";
  CPPGEN_NEEDS_DATA(model);
  TempDirectory cache(system_temp_directory(), "cppgen-test.");
  CompileRequest request;
  request.model = model;
  request.settings.set("CACHE_DIR", cache.path());
  CompiledModel compiled = compile_model(request);
  rt::Session session(rt::Executable::load(compiled.package), rt::SessionOptions::from(request.settings));
  auto report = rt::verify(session, rt::read_test_case(kModels + "/" + name, session.plan()));
  EXPECT_TRUE(report.ok()) << report.text();
}
INSTANTIATE_TEST_SUITE_P(Small, Network, testing::Values("dlrm", "squeezenet1_1"));

TEST(KernelSanitizer, CatchesAPlantedOverrun) {
  CompileRequest request;
  CompileOptions options = compile_options(request);
  options.force_disable_caches = true;
  ASSERT_FALSE(options.extra_flags.empty());
  CompileJob job;
  job.name = "overrun";
  job.isa_name = "scalar";
  job.source =
      "#include \"runtime/abi/abi.h\"\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void overrun(const cppgen_kernel_args* args, long begin, "
      "long end) {\n"
      "  float* out = (float*)args->buffers[0];\n"
      "  for (long i = begin; i <= end; i++) out[i] = 1;\n"
      "}\n";
  job.expected_symbols = {"overrun"};
  auto objects = build_kernels({job}, options);
  void* library = dlopen(objects[0].path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  auto kernel = reinterpret_cast<rt::KernelFunction>(dlsym(library, "overrun"));
  ASSERT_NE(kernel, nullptr);
  std::vector<float> memory(16);
  void* buffers[] = {memory.data()};
  cppgen_kernel_args args{};
  args.buffers = buffers;
  EXPECT_DEATH(kernel(&args, 0, 16), "heap-buffer-overflow");
}

}  // namespace
}  // namespace cppgen
