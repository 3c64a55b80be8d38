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

// Kernels distributed over translation units, which are the same on every machine.
struct KernelJobs {
  std::vector<CompileJob> jobs;
  std::vector<int> job_of_kernel;
  std::vector<size_t> holder;  // by kernel: the one that has its function, because equal functions are compiled once
};
KernelJobs distribute(std::vector<codegen::KernelText>&, const VecISA&, const schedule::Tuning&);

// The same for all kernels of all parts, which learn the numbers of their jobs.
std::vector<CompileJob> make_jobs(std::vector<ModelPart>&, const VecISA&, const schedule::Tuning&);

}  // namespace cppgen
