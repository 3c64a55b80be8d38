#pragma once
#include <string>

#include "cppgen/schedule/layout/layout_report.h"

namespace cppgen {

// "channels-last (0 2 3 1)", "row-major (0 1)", "(1 0 2)".

// The layouts of temporaries, grouped, and what is still moved in each run, in readable form.
std::string layout_text(const schedule::LayoutReport&);

}  // namespace cppgen
