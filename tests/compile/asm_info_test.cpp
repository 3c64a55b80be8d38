#include "cppgen/compile/asm_info.h"

#include "tests/compile/fixture.h"

namespace cppgen {
namespace {

TEST(InstructionCounts, OfTheFunctionsThatAreAskedFor) {
  const auto counts = count_instructions(R"(
	.globl	first
first:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	movq	%rsp, %rbp
	vmovups	(%rdi), %zmm0
	vaddps	%xmm1, %xmm0, %xmm0
	vaddss	%xmm1, %xmm0, %xmm0
.L2:
	movq	%rax, -8(%rbp)
	vmovaps	%ymm3, 64(%rsp)
	movq	64(%rsp), %rax
	movq	$0, 64(%rsp)
	ret
	.size	first, .-first
other:
	ret
second:
	paddd	%xmm1, %xmm0
	popcntq	%rax, %rax
)",
                                         {"first", "second", "absent"});
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].kernel, "first");
  EXPECT_EQ(counts[0].instructions, 10);
  EXPECT_EQ(counts[0].vector, 3) << "zmm, packed xmm, ymm";
  EXPECT_EQ(counts[0].spills, 2);
  EXPECT_EQ(counts[1].instructions, 2);
  EXPECT_EQ(counts[1].vector, 1);
  EXPECT_EQ(counts[2].instructions, 0);
}

TEST(InstructionCounts, SpillsOfInnermostLoops) {
  const auto counts = count_instructions(R"(
f:
	vmovaps	%zmm1, 8(%rsp)
.L1:
	vmovaps	%zmm2, 72(%rsp)
.L2:
	vmovaps	%zmm3, 136(%rsp)
	movq	%rax, 200(%rsp)
	vaddps	136(%rsp), %zmm0, %zmm0
	jne	.L2
	jb	.L1
	jmp	.L9
g:
	vmovaps	%ymm3, 136(%rsp)
	jne	.L2
)",
                                         {"f", "g"});
  EXPECT_EQ(counts[0].spills, 4);
  EXPECT_EQ(counts[0].loop_spills, 1) << "neither the outer loop's, nor that of a general register";
  EXPECT_EQ(counts[1].loop_spills, 0) << "labels belong to their function";
}

class AsmInfoTest : public CompileTest {};

TEST_F(AsmInfoTest, AUnitThatDoesNotCompileIsAWarning) {
  KernelBuilder builder(options_);
  CompileJob bad = job("bad", 1);
  bad.source = "no C++";
  write_asm_info({job("good", 1), bad}, options_, builder, path("asm"));
  EXPECT_NE(read_file(path("asm/good.s")).find("good:"), std::string::npos);
  EXPECT_FALSE(file_exists(path("asm/bad.s")));
  EXPECT_EQ(read_file(path("asm/kernels.txt")).find("kernel unit instructions vector spills loop_spills\ngood good "),
            0u);
}

TEST_F(AsmInfoTest, CompilersWithoutTheReportOfGccPrintTheirs) {
  options_.cxx = fake_compiler(
      "case \"$*\" in *-fopt-info*) echo 'unknown argument: -fopt-info-vec'; exit 1;; *-Rpass=vectorize*) echo "
      "remark;; "
      "esac\ntouch one.s");
  KernelBuilder builder(options_);
  write_asm_info({job("one", 1)}, options_, builder, path("asm"));
  EXPECT_EQ(read_file(path("asm/one.vectors.txt")), "remark\n");
}

}  // namespace
}  // namespace cppgen
