#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/engines/tile_conditions.h"

namespace cppgen::schedule {

// An engine of our own tiles over packed panels, in one of the formats: those for the same operands, of several shapes.
// `condition` is what it asks for beyond operands that its tiles take; null: nothing.
Engine tile_engine(std::string name, std::vector<rt::TileFormat> formats, TileCondition condition = nullptr);

}  // namespace cppgen::schedule
