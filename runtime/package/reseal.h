#pragma once
#include <string>

namespace cppgen::rt {

// Seals the objects of a package and of its versions again (seal.h) and lists their hashes, after they were rebuilt
// from its sources. UserError if any other file is not as the manifest lists it, or if a file is missing or was added:
// only objects may have changed.
void reseal_package(const std::string& directory);

}  // namespace cppgen::rt
