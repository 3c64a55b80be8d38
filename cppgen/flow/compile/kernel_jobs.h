#pragma once
#include <vector>

#include "cppgen/compile/compile_job.h"

namespace cppgen {

namespace codegen {
struct KernelText;
}
namespace schedule {
struct Tuning;
}
struct ModelPart;
struct VecISA;

// The number of translation units in which kernels are compiled. It depends on their texts alone, so that machines can
// share compiled kernels: at least Tuning::least_units if there are as many functions, and more if units would take
// long to compile.
int unit_count(const std::vector<codegen::KernelText>&, const schedule::Tuning&);

// Distributes kernels that have a function over at most `count` units of about the same cost. Each unit lists kernels
// by number, in increasing order. Deterministic.
std::vector<std::vector<size_t>> balance(const std::vector<codegen::KernelText>&, int count);

// Kernels distributed over translation units, which are the same on every machine.
struct KernelJobs {
  std::vector<CompileJob> jobs;
  std::vector<int> job_of_kernel;
  std::vector<size_t> holder;  // by kernel: the one that has its function, because equal functions are compiled once
};
KernelJobs distribute(std::vector<codegen::KernelText>&, const VecISA&, const schedule::Tuning&);

// Does the same for all kernels of all parts, which learn the numbers of their jobs.
std::vector<CompileJob> make_jobs(std::vector<ModelPart>&, const VecISA&, const schedule::Tuning&);

}  // namespace cppgen
