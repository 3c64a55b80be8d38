#pragma once
#include <cstdint>
#include <vector>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {

// A model of shape arithmetic, branches, loops and sequences as exporters compose them, and inputs for some runs of it.
// Sizes differ between the runs, so ranks and branches do.
struct RandomModel {
  ModelMaker maker;
  std::vector<std::vector<Value>> runs;
};
RandomModel random_model(uint64_t seed);

// Compiles and runs it, and adds a test failure for what is no agreement: an internal error, or results that differ
// from the interpreter's. `compiled`: by kernels, too, not by the interpreter alone.
enum class Outcome { agrees, refused };
Outcome try_random_model(uint64_t seed, bool compiled);

}  // namespace cppgen::modules
