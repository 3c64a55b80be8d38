#pragma once
#include <string>

namespace cppgen::package {

// Equal weight files of cached packages are one file: hard links to "<cache_dir>/weights/<hash>", which serves only
// as an index.

// Replaces the weights in `package` and its versions, whose manifests have been written, by such links. Has no effect
// on file systems without hard links.
void share_weights(const std::string& cache_dir, const std::string& package);

// Removes files that no package uses any more.
void remove_unshared_weights(const std::string& cache_dir);

}  // namespace cppgen::package
