#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_options.h"
#include "isa/vec_isa.h"

namespace cppgen::conformance {

// A prepared model: see model_work.h.
struct Prepared {
  std::string package;  // directory
  std::string source;
  std::vector<std::string> symbols;
  std::string error;  // set by compile_batches: why its kernels could not be compiled
};

struct BatchStats {
  int units = 0, cached_units = 0, kernels = 0;
};

// Compiles the kernels of many models together, about 150 in one translation unit, on `jobs` compilers, and places a
// library in each package. A unit that cannot be compiled is halved until the models at fault are alone.
BatchStats compile_batches(std::vector<Prepared>&, const VecISA&, const CompileOptions&, int jobs);

}  // namespace cppgen::conformance
