#pragma once
#include <string>
#include <string_view>

namespace cppgen::rt {

// A package may contain the program that runs it (ENABLE_STANDALONE): a copy of cppgen-run. The libraries that it
// needs and a test case are in folders, which the manifest does not list.
inline constexpr std::string_view kStandaloneProgram = "standalone";
inline constexpr std::string_view kStandaloneLibraries = "standalone_data/lib";  // as in the program's run path
inline constexpr std::string_view kStandaloneSample = "standalone_data/sample";

// The package that contains this process's program; empty if none does.
std::string package_of_this_program();

}  // namespace cppgen::rt
