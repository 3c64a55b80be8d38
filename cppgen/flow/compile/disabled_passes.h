#pragma once
#include <string>
#include <vector>

#include "runtime/base/settings.h"

namespace cppgen {

// The passes that DISABLE_PASSES names, of the graph and of the schedule. UserError that lists the passes that can be
// disabled if a name is unknown or the pass is needed.
std::vector<std::string> disabled_passes(const Settings&);

// The passes that it can name, in the order in which they first run.
std::vector<std::string> optional_passes();

}  // namespace cppgen
