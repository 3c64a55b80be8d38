#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/settings.h"

namespace cppgen {

// Why the setting of this name (without CPPGEN_) does not exist on purpose (absent_settings.def); empty for others.
std::string_view reason_of_absence(std::string_view name);

// Sentences about the known variables of other compilers (TorchInductor, AITemplate, EasyDeL) that are set but are not
// an alias of any setting, so that users learn that they have no effect, and why; and about unknown ones that begin
// like those of these compilers.
std::vector<std::string> foreign_name_notes(const Environment&);

// The rows of absent_settings.def as a Markdown table.
std::string absent_settings_markdown();

}  // namespace cppgen
