#pragma once
#include <string_view>

#define CPPGEN_VERSION_TEXT "0.2.0"  // as in the top CMakeLists.txt

namespace cppgen::rt {

inline constexpr std::string_view kVersion = CPPGEN_VERSION_TEXT;

}  // namespace cppgen::rt
