#pragma once
#include <string>

#include "runtime/base/settings.h"

namespace cppgen {

// A sentence that names the known variables of other compilers (TorchInductor, AITemplate, EasyDeL) that are set but
// are not an alias of any setting, so that users learn that they have no effect. Empty if there are none.
std::string unsupported_names_note(const Environment&);

}  // namespace cppgen
