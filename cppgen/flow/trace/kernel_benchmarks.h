#pragma once
#include <vector>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

struct ModelPart;
struct VecISA;

// BENCHMARK_KERNEL: replaces the folder TRACE_DIR/<model>/kernels by programs that time one kernel each. A program is a
// folder of the kernel's name with kernel.cpp, main.cpp and build.sh; all share driver.h, the headers of kernels in
// include/, and the model's constants, which kernels may rely on. Inputs and intermediate values are random; integers
// that index a tensor are in its range. Dimensions that the model leaves open have sizes that satisfy its bounds
// (rt::sample_sizes). Equal kernels have one program, with the sizes of the first. UserError if a file cannot be
// written.
//
// `module`: the model has several plans. `command` compiles units of its kernels.
void write_kernel_benchmarks(const CompileRequest&, const std::vector<ModelPart>&, bool module, const VecISA&,
                             const KernelBuilder::Command& command);

}  // namespace cppgen
