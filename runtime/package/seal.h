#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/package/package.h"

namespace cppgen::rt {

// Kernels trust their arguments: the extents of their accesses follow from sizes, parameters and ranges in the plan,
// and from constants that the compiler has seen, such as positions that need no check. So each object of a package ends
// with a seal, a hash of all files that are not objects, but for costs.json, on which nothing that runs depends. An
// object is loaded only together with the very files that it was written with. A seal is not a signature: whoever
// writes objects can also write their seals.

// The seal of objects that are written together with these files.
std::string seal_of(const std::vector<ManifestFile>& files);

bool is_object(const std::string& file_name);

// Appends this seal to the object, replacing any previous one. UserError if it cannot be written.
void write_seal(const std::string& path, const std::string& seal);

// Returns whether the object's content ends with this seal.
bool has_seal(std::span<const char> object, const std::string& seal);

}  // namespace cppgen::rt
