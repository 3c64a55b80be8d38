#pragma once
#include <string>

#include "cppgen/cli/bench/bench_sweep.h"

namespace cppgen {

// A picture of a sweep in SVG: the values of the first setting along the x axis, and a line for each combination of the
// others. The y axis has the median of a run with a bar from the fastest run to p90, or with several clients the runs
// per second. The best point has a ring. The same numbers give the same text.
std::string sweep_svg(const BenchOptions&, const Sweep&);

}  // namespace cppgen
