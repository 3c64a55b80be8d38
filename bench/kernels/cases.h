#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/kernels/model_builder.h"

namespace cppgen::bench {

// One memory-bound model.
struct Case {
  std::string name, description;
  std::function<void(ModelBuilder&)> build;
  std::map<std::string, double> work;  // floats that each expensive vector function is applied to
};

std::vector<Case> memory_bound_cases();

}  // namespace cppgen::bench
