#pragma once
#include <string>
#include <string_view>

namespace cppgen::rt {

// The file of a plugin: "libcppgen_NAME-MAJOR.MINOR.so".
std::string plugin_file_name(std::string_view name);

// Returns where it was loaded from. UserError as plugins.h says.
std::string plugin_path(std::string_view name, std::string_view needed_by, std::string_view advice = {});

// The object that the plugin exports, after its build was checked. `needed_by` begins the sentence of an error, such as
// "contractions by oneDNN", and `advice`, how to get the plugin, ends it. UserError as plugins.h says.
const void* load_plugin(std::string_view name, std::string_view needed_by, std::string_view advice = {});

inline constexpr std::string_view kWhereOnednnIs =
    "; oneDNN is in the package libcppgen-onednn for apt, and in builds with the CMake option CPPGEN_ONEDNN "
    "(docs/packages.md)";

}  // namespace cppgen::rt
