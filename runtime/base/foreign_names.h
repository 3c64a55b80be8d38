#pragma once
#include <string>

#include "runtime/base/settings.h"

namespace cppgen {

// One sentence that names the variables of other compilers (TorchInductor, AITemplate, EasyDeL) that are set, that we
// know, and that no setting has as its alias: so nobody wonders why they have no effect. Empty if there is none.
std::string unsupported_names_note(const Environment&);

}  // namespace cppgen
