#pragma once
#include <string>

namespace cppgen::package {

// Equal files of weights of cached packages are one file: hard links to "<cache_dir>/weights/<SHA-256>", which itself
// is only there to be found.

// Makes the weights in `package`, whose manifest is written, such links. Without a file system that has them nothing
// happens.
void share_weights(const std::string& cache_dir, const std::string& package);

// Removes files that no package has any more.
void remove_unshared_weights(const std::string& cache_dir);

}  // namespace cppgen::package
