#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// The reference: a contraction runs as the loops that define it. It takes everything.
Engine loops_engine();

}  // namespace cppgen::schedule
