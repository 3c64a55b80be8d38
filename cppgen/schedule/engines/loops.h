#pragma once
#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// The reference, which takes everything: a contraction runs as the loops that define it.
Engine loops_engine();

}  // namespace cppgen::schedule
