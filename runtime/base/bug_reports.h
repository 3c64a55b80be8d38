#pragma once
#include <string>

namespace cppgen {

// Says where bugs are reported, as the end of "Please report it to ...": the address that a packager gave to CMake as
// CPPGEN_BUG_REPORT_URL, or people that everybody can find.
std::string bug_report_address();

}  // namespace cppgen
