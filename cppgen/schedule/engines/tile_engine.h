#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/engines/tile_conditions.h"

namespace cppgen::schedule {

// Makes an engine of our own tiles over packed panels. It takes the best shape among `formats`, which are for the same
// operands. `condition` is its condition beyond operands that its tiles support, or null; `replacement` is that of the
// engine, or null.
Engine tile_engine(std::string name, std::vector<rt::TileFormat> formats, TileCondition condition,
                   TileReplacement replacement = nullptr);

}  // namespace cppgen::schedule
