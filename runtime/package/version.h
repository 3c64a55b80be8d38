#pragma once
#include <string_view>

namespace cppgen::rt {

inline constexpr std::string_view kVersion = "0.1.0";  // as in the top CMakeLists.txt

}  // namespace cppgen::rt
