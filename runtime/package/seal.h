#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/package/package.h"

namespace cppgen::rt {

// Kernels trust their arguments: how far they read and write follows from sizes, parameters and ranges that the plan
// gives them, and from constants that the compiler has seen, such as positions that it need not check. So each object
// of a package ends with a seal, a hash of all files that are no objects. An object is loaded only beside the very
// files that it was written with. A seal is no signature: who writes objects writes their seals, too - and code.

// The seal of the objects beside these files.
std::string seal_of(const std::vector<ManifestFile>& files);

bool is_object(const std::string& file_name);

// Ends the object with this seal, in place of another one that it may have. UserError if it cannot be written.
void write_seal(const std::string& path, const std::string& seal);

// Whether the object's content ends with this seal.
bool has_seal(std::span<const char> object, const std::string& seal);

}  // namespace cppgen::rt
