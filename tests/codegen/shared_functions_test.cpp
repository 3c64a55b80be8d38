// Kernels whose functions differ in numbers alone share one, which takes these numbers as parameters.
#include <gtest/gtest.h>

#include <set>

#include "tests/codegen/emitted.h"

namespace cppgen::codegen {
namespace {

KernelText kernel(const std::string& name, const std::string& lines) {
  KernelText k;
  k.name = name, k.linkage = "KERNEL";
  k.function = "(const cppgen_kernel_args* args, long begin, long end) {\n" + lines + "}\n";
  return k;
}

std::vector<int64_t> values(const KernelText& k) {
  std::vector<int64_t> all;
  for (const ir::IndexExpr& p : k.params) all.push_back(p.constant());
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// Returns whether kernels of these lines share a function.
bool share(const std::string& a, const std::string& b) {
  std::vector<KernelText> kernels = {kernel("a", a), kernel("b", b)};
  return share_functions(kernels)[1] == 0;
}

TEST(SharedFunctions, NumbersThatDifferAreParameters) {
  std::vector<KernelText> kernels = {kernel("a", "  f(x + 3 * 64, 7, 64);\n"), kernel("b", "  f(x + 5 * 32, 7, 32);\n"),
                                     kernel("c", "  f(x - 5 * 32, 7, 32);\n")};
  EXPECT_EQ(share_functions(kernels), (std::vector<size_t>{0, 0, 2}));
  EXPECT_PRED2(has, kernels[0].function,
               "{\n  const vec::i64 c0 = args->params[0];\n  const vec::i64 c1 = args->params[1];\n"
               "  f(x + c0 * c1, 7, c1);\n}");
  EXPECT_EQ(values(kernels[0]), (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(values(kernels[1]), (std::vector<int64_t>{5, 32}));
  EXPECT_EQ(kernels[1].symbol(), "a");
  EXPECT_FALSE(kernels[1].has_function());
  EXPECT_TRUE(kernels[2].params.empty());
  EXPECT_PRED2(has, kernels[1].written, "x + 5 * 32");
}

TEST(SharedFunctions, ParametersFollowTheSizesThatOnlyARunKnows) {
  const std::string size = "  const vec::i64 s0 = args->params[0];\n";
  std::vector<KernelText> kernels = {kernel("a", size + "  f(s0 * 2);\n"), kernel("b", size + "  f(s0 * 4);\n")};
  const ir::IndexExpr symbol = 9;
  for (KernelText& k : kernels) k.params = {symbol};
  share_functions(kernels);
  EXPECT_PRED2(has, kernels[0].function, "  const vec::i64 c0 = args->params[1];\n" + size + "  f(s0 * c0);\n");
  EXPECT_EQ(values(kernels[0]), (std::vector<int64_t>{9, 2}));
  EXPECT_EQ(values(kernels[1]), (std::vector<int64_t>{9, 4}));
}

TEST(SharedFunctions, ConstantsOfTheLanguageStay) {
  const auto differ = [](const char* format) {
    const std::string line = std::string("  ") + format + "\n";
    const auto with = [&](const char* number) { return std::string(line).replace(line.find('N'), 1, number); };
    return !share(with("2"), with("3"));
  };
  EXPECT_TRUE(differ("vec::tile<N, 2>(left);"));
  EXPECT_TRUE(differ("static const vec::i64 offsets[] = {0, N};"));
  EXPECT_TRUE(differ("constexpr vec::i64 columns = N;"));
  EXPECT_TRUE(differ("alignas(N) float x;"));
  EXPECT_TRUE(differ("_Pragma(\"GCC unroll N\")"));
  EXPECT_TRUE(differ("f(vec::Tail{N});"));
  EXPECT_TRUE(differ("x = args->buffers[N];"));
  EXPECT_TRUE(differ("x = N.5f;"));
  EXPECT_TRUE(differ("x = 1e-N;"));
  EXPECT_TRUE(differ("x = tN;"));
  EXPECT_FALSE(differ("for (int i = 0; i < N; i++) x[N + i] = y % N;"));
}

TEST(SharedFunctions, ArraysHaveTheElementsOfTheLargest) {
  std::vector<KernelText> kernels = {kernel("a", "  const void* left[14];\n  static const float zeros[64] = {};\n"),
                                     kernel("b", "  const void* left[28];\n  static const float zeros[32] = {};\n")};
  share_functions(kernels);
  EXPECT_PRED2(has, kernels[0].function, "left[28];\n  static const float zeros[64] = {};");
  EXPECT_TRUE(kernels[0].params.empty());
  EXPECT_EQ(kernels[1].symbol(), "a");
}

TEST(SharedFunctions, KernelsMayKeepTheirNumbers) {
  for (const bool checked : {true, false}) {
    std::vector<KernelText> kernels = {kernel("a", "  f(2);\n"), kernel("b", "  f(3);\n"), kernel("c", "  f(2);\n")};
    for (KernelText& k : kernels) {
      if (checked) k.checks = {"an index outside"};
      if (!checked) k.plan.keeps_numbers = true;
    }
    EXPECT_EQ(share_functions(kernels), (std::vector<size_t>{0, 1, 0}));
    EXPECT_PRED2(has, kernels[0].function, "  f(2);\n");
  }
}

TEST(SharedFunctions, ConvolutionsOfDifferentSizesShare) {
  GraphMaker g;
  ValueId v = g.input("x", {1, 64, 24, 24});
  for (const int64_t channels : {96, 128, 160})
    v = g.node(
        "Relu",
        {g.node("Conv", {v, g.input("w" + std::to_string(channels), {channels, g.g.value(v).type->shape[1], 1, 1})})});
  g.output(v);
  auto kernels = emitted(g, *find_isa("avx512"));
  const std::vector<size_t> holder = share_functions(kernels);
  EXPECT_LT(std::set<size_t>(holder.begin(), holder.end()).size(), holder.size());
}

}  // namespace
}  // namespace cppgen::codegen
