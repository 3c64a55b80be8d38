#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bench/kernels/model_builder.h"

namespace cppgen::bench {

// One coordinate of a grid with its values in order, so that neighbours in the list are alike.
struct Axis {
  std::string name;
  std::vector<int64_t> values;
};

// A value for each axis of the grid.
using Values = std::vector<int64_t>;

// Models of one kind whose sizes are the points of a grid.
struct Grid {
  std::string name;
  std::vector<Axis> axes;
  // Multiply-adds of the model, and elements that it reads and writes; 0 multiply-adds: there is no such model.
  struct Work {
    double multiply_adds = 0, elements = 0;
  };
  std::function<Work(const Values&)> work;
  std::function<void(ModelBuilder&, const Values&)> build;
};

// Convolutions (grouped, strided, dilated, of odd numbers of channels, of one to three dimensions, of one and eight
// images) and products of 1 to 200 rows with weights of 32, 8 and 4 bits.
std::vector<Grid> sweep_grids();

}  // namespace cppgen::bench
