#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/contraction_cases.h"
#include "bench/report/turns.h"

namespace cppgen::bench {

// One way to compute a case, ready to run: weights packed as it likes, activations as in Operands.
class Contender : public Timed {
 public:
  // The result of the last run: row-major [m, n] or [out_size, out_size, out].
  virtual const float* result() const = 0;
  // A description of what ran: the kernel that oneDNN chose, the engine of each step of ours.
  virtual std::string implementation() const = 0;
};

struct ContenderKind {
  std::string name;
  // Null if it has no way to compute this case.
  std::function<std::unique_ptr<Contender>(const ContractionCase&, const Operands&, int threads)> make;
};

// Compiled by cppgen with each engine of its choice list in turn, "cppgen:CPP" first. Models and their cache go into
// `folder`, which outlives all contenders. The environment's settings count, but for the choice of engines.
std::vector<ContenderKind> cppgen_contenders(const std::string& folder);
// The instruction set that they are compiled for.
std::string cppgen_isa(const std::string& folder);

// oneDNN's primitives on its own threads: weights in the format that it prefers, images channels-last.
ContenderKind onednn_contender();

// libxsmm's batch-reduce kernels over packed weights and padded images, on OpenMP threads.
ContenderKind xsmm_contender();

}  // namespace cppgen::bench
