#pragma once
#include <set>
#include <string>

#include "cppgen/graph/graph.h"

namespace cppgen::import {

// FREEZING=0: makes inputs with a preset of the floating-point constants that nodes read if they have two or more
// dimensions or are listed.
void unfreeze(Graph&, const std::set<std::string, std::less<>>& listed);

}  // namespace cppgen::import
