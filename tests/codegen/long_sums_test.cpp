// Sums of very many floats, the number of which is known only at run time.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/stages.h"
#include "runtime/abi/abi.h"
#include "runtime/package/executable.h"
#include "tests/codegen/emitted.h"
#include "tests/isas_to_test.h"

namespace cppgen::codegen {
namespace {

// Zeros that take no memory, because all pages are the same.
class Zeros {
 public:
  explicit Zeros(size_t bytes)
      : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Zeros() { munmap(data_, bytes_); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  void* data() const { return data_; }

 private:
  size_t bytes_;
  void* data_;
};

// The mean over axis 0 of as many ones as the tensor [rows, columns] has elements, with a symbol in place of `rows`.
std::vector<float> means_of_ones(int64_t rows, int64_t columns, const VecISA& isa) {
  GraphMaker g;
  const ValueId x = g.input("x", {g.symbol("N"), columns}, DType::boolean);
  const ValueId ones = g.node("Cast", {g.node("Not", {x})}, {{"to", int64_t{1}}});
  g.output(g.node("ReduceMean", {ones}, {{"axes", std::vector<int64_t>{0}}}));
  const std::vector<KernelText> kernels = emitted(g, isa);
  if (kernels.size() != 1 || kernels[0].buffers.size() != 2 || kernels[0].params.size() != 1)
    throw std::runtime_error("expected one kernel");

  CompileJob job;
  job.name = "sums";
  job.isa_name = std::string(isa.name);
  job.isa_flags = {isa.compiler_flags.begin(), isa.compiler_flags.end()};
  job.source = translation_unit({&kernels[0]}, std::string(isa.folder));
  job.expected_symbols = {kernels[0].name};
  CompileOptions options = compile_options({});
  options.force_disable_caches = true;
  const auto objects = build_kernels({job}, options);
  void* library = dlopen(objects[0].path.c_str(), RTLD_NOW);
  const auto kernel = reinterpret_cast<rt::KernelFunction>(dlsym(library, kernels[0].name.c_str()));

  const Zeros zeros(size_t(rows * columns));
  std::vector<float> means(static_cast<size_t>(columns));
  void* buffers[] = {zeros.data(), means.data()};
  const long params[] = {rows};
  int error = 0;
  const cppgen_kernel_args args{buffers, params, nullptr, &error, nullptr};
  kernel(&args, 0, kernels[0].plan.units.constant());
  dlclose(library);
  return means;
}

// One lane holds the sum of a column.
TEST(LongSums, OfColumns) {
  for (const VecISA* isa : isas_to_test())
    for (const float mean : means_of_ones(int64_t{3} << 23, 8, *isa)) EXPECT_EQ(mean, 1) << isa->name;
}

// Four accumulators hold the sum of a row. With vectors, the error would appear only in a row of gigabytes.
TEST(LongSums, OfRows) { EXPECT_EQ(means_of_ones(int64_t{3} << 25, 1, *find_isa("scalar")), std::vector<float>{1}); }

}  // namespace
}  // namespace cppgen::codegen
