#pragma once
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/settings.h"

namespace cppgen {

// The settings that were given a value other than the default of this machine, in the order of the table.
std::vector<SettingDescription> changed_settings(const Settings&);

// The setting that --set NAME=VALUE sets, with this value. UserError like Settings::set.
SettingDescription setting_with(const std::string& name, const std::string& value);

// A file of settings: lines NAME=VALUE, empty lines, and comments that begin with #. Names are those of --set.
std::string settings_file_text(const std::vector<SettingDescription>&);

// The pairs of such a file. UserError naming the line that is not of this form, that
// names a setting again, or whose value is not allowed, or a file that cannot be read.
std::vector<std::pair<std::string, std::string>> read_settings_file(const std::string& path);

}  // namespace cppgen
