#pragma once
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// All engines. Those of one backend are tried in this order; the backends in the order of MAX_AUTOTUNE_GEMM_BACKENDS.
const std::vector<Engine>& engine_list();

}  // namespace cppgen::schedule
