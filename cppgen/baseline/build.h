#pragma once
#include "cppgen/baseline/program.h"

namespace cppgen::baseline {

// The steps of a graph whose dimensions are bound, on oneDNN's engine. Nodes that oneDNN does not support run as our
// kernels, which `compile` makes for the OpenMP threads. The graph is rewritten in the process, and owns the constants
// of the program.
Program build_program(Graph&, int threads, const dnnl::engine&, const contenders::CompileGroup& compile);

}  // namespace cppgen::baseline
