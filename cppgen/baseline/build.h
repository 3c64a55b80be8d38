#pragma once
#include "cppgen/baseline/program.h"

namespace cppgen::baseline {

// The steps of a graph whose dimensions are bound, on oneDNN's engine. What oneDNN refuses goes to our kernels, which
// `compile` makes for the OpenMP threads. The graph is rewritten on the way, and constants of the program belong to it.
Program build_program(Graph&, int threads, const dnnl::engine&, const CompileGroup& compile);

}  // namespace cppgen::baseline
