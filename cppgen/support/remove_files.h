#pragma once
#include <cstdint>
#include <string>

namespace cppgen {

// Removes a directory of a cache with the files in it; returns their number, 0 if there is no such directory.
int64_t remove_files(const std::string& directory);

}  // namespace cppgen
