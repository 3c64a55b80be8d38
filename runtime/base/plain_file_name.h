#pragma once
#include <string_view>

namespace cppgen::rt {

// A name that cannot lead out of a directory.
inline bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
}

}  // namespace cppgen::rt
