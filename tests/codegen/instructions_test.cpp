// Emitted kernels are compiled to the instructions for which they are written.
#include <gtest/gtest.h>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"
#include "tests/codegen/emitted.h"

namespace cppgen::codegen {
namespace {

// The assembly of all kernels of a graph.
std::string assembly(GraphMaker& g, const VecISA& isa, const MachineDescription& machine = {}) {
  auto kernels = emitted(g, isa, {}, machine);
  std::vector<const KernelText*> list;
  for (const auto& k : kernels) list.push_back(&k);
  TempDirectory dir(system_temp_directory(), "cppgen-asm.");
  write_embedded_headers(dir.path());
  EXPECT_EQ(write_file(dir.path() + "/k.cpp", translation_unit(list, std::string(isa.folder))), 0);
  ProcessSpec spec;
  spec.argv = Toolchain::find(Settings().cxx).command;
  for (const auto& flag : kernel_flags({}, {isa.compiler_flags.begin(), isa.compiler_flags.end()}))
    if (flag != "-shared" && flag != "-nostdlib") spec.argv.push_back(flag);
  for (const char* more : {"-S", "-o", "k.s", "-I.", "k.cpp"}) spec.argv.push_back(more);
  spec.working_directory = dir.path();
  auto result = PosixProcessRunner().run(spec);
  EXPECT_TRUE(result.ok()) << result.output;
  return read_file(dir.path() + "/k.s");
}

GraphMaker relu() {
  GraphMaker g;
  g.output(g.node("Relu", {g.node("Add", {g.input("x", {4099}), g.input("y", {4099})})}));
  return g;
}

GraphMaker small_product() {  // too small for the tile engine: loops
  GraphMaker g;
  g.output(g.node("MatMul", {g.input("x", {4, 3}), g.input("y", {3, 64})}));
  return g;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Instructions, VectorRegistersOfTheInstructionSet) {
  GraphMaker a = relu(), b = relu(), c = relu();
  std::string avx512 = assembly(a, *find_isa("avx512")), avx2 = assembly(b, *find_isa("avx2")),
              scalar = assembly(c, *find_isa("scalar"));
  EXPECT_TRUE(has(avx512, "%zmm") && has(avx512, "vaddps"));
  EXPECT_TRUE(has(avx2, "%ymm") && has(avx2, "vaddps"));
  EXPECT_FALSE(has(avx2, "%zmm"));
  EXPECT_FALSE(has(scalar, "%ymm") || has(scalar, "%zmm"));
  EXPECT_TRUE(has(scalar, "%xmm"));
}

TEST(Instructions, ReluIsAMaximum) {
  for (const char* isa : {"avx2", "avx512"}) {
    GraphMaker g = relu();
    EXPECT_TRUE(has(assembly(g, *find_isa(isa)), "vmaxps")) << isa;
  }
}

// The mask of the comparison is the NaN, so nothing is blended.
TEST(Instructions, MaximaWithNansAreNotBlendedOnAvx2) {
  GraphMaker g;
  g.output(g.node("Max", {g.input("a", {4096}), g.input("b", {4096})}));
  const std::string text = assembly(g, *find_isa("avx2"));
  EXPECT_TRUE(has(text, "vcmpps\t$3"));
  EXPECT_FALSE(has(text, "blendv"));
}

// Columns whose windows are inside of the image are loaded without masks.
TEST(Instructions, EveryOtherElementIsTakenByTwoShufflesOnAvx2) {
  GraphMaker g;
  const std::vector<int64_t> ends(4, 1), two(2, 2), three(2, 3);
  g.output(
      g.node("MaxPool", {g.input("x", {1, 4, 64, 64})}, {{"kernel_shape", three}, {"strides", two}, {"pads", ends}}));
  const std::string text = assembly(g, *find_isa("avx2"));
  EXPECT_TRUE(has(text, "vshufps"));
  EXPECT_FALSE(has(text, "vpermd") || has(text, "vpermps"));
}

TEST(Instructions, ProductsAreFusedMultiplyAdds) {
  for (const char* isa : {"avx2", "avx512"}) {
    GraphMaker g = small_product();
    EXPECT_TRUE(has(assembly(g, *find_isa(isa)), "vfmadd")) << isa;
  }
}

TEST(Instructions, QuantizingRoundsAsItConverts) {
  for (const char* isa : {"avx2", "avx512"}) {
    GraphMaker g;
    const ValueId zero = g.g.add_constant("zero", make_tensor(DType::u8, {}, {std::byte{7}}));
    g.output(g.node("QuantizeLinear", {g.input("x", {4099}), g.floats({}, {0.1}), zero}));
    const std::string text = assembly(g, *find_isa(isa));
    EXPECT_TRUE(has(text, "vcvtps2dq")) << isa;
    EXPECT_FALSE(has(text, "vcvttps2dq") || has(text, "vround") || has(text, "vrndscale")) << isa;
  }
}

GraphMaker symbolic_relu() {
  GraphMaker g;
  g.output(g.node("Relu", {g.input("x", {g.symbol("N")})}));
  return g;
}

TEST(Instructions, LargeResultsAreWrittenPastTheCaches) {
  for (const char* isa : {"avx2", "avx512"}) {
    GraphMaker small = relu(), large = relu();
    MachineDescription machine;
    machine.l3_bytes =
        1 << 16;  // the sizes of caches are rounded down to powers of two, and 4099 * 4 * 3 bytes are accessed
    EXPECT_FALSE(has(assembly(small, *find_isa(isa), machine), "vmovntps")) << isa;
    machine.l3_bytes--;
    const std::string text = assembly(large, *find_isa(isa), machine);
    EXPECT_TRUE(has(text, "vmovntps") && has(text, "sfence")) << isa;
  }
}

TEST(Instructions, TailsAreMasked) {
  GraphMaker a = symbolic_relu(), b = symbolic_relu();
  EXPECT_TRUE(has(assembly(a, *find_isa("avx512")), "%k1"));
  EXPECT_TRUE(has(assembly(b, *find_isa("avx2")), "maskmov"));
}

}  // namespace
}  // namespace cppgen::codegen
