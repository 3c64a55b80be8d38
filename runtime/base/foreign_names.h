#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/settings.h"

namespace cppgen {

// The name of a variable of another program without the prefix of that program, such as MULTISTREAM_MODE.
std::string_view stem_of(std::string_view variable);

// Returns why the setting of this name (without CPPGEN_) does not exist on purpose (absent_settings.def); empty for
// others.
// The stems of the variables are names, too, with and without a leading ENABLE_ or USE_.
std::string_view reason_of_absence(std::string_view name);

// Sentences about the known variables of other compilers (TorchInductor, AITemplate, EasyDeL) that are set but are not
// an alias of any setting, so that users learn that they have no effect, and why; and about unknown ones that begin
// like those of these compilers.
std::vector<std::string> foreign_name_notes(const Environment&);

// The rows of absent_settings.def as a Markdown table.
std::string absent_settings_markdown();

}  // namespace cppgen
