#pragma once
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// All engines, in the order of engines.def.
const std::vector<Engine>& engine_list();

#define CPPGEN_ENGINE(function) Engine function();
#include "cppgen/schedule/engines/engines.def"

}  // namespace cppgen::schedule
