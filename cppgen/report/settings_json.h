#pragma once
#include <vector>

#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"

namespace cppgen::report {

// Returns the settings with *** in place of passwords, for people show others what `config` prints.
std::vector<SettingDescription> without_passwords(std::vector<SettingDescription>);

// The answer of `cppgen config`.
Json settings_json(const std::vector<SettingDescription>&);

}  // namespace cppgen::report
