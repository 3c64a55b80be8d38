#pragma once
#include <memory>
#include <string>

namespace cppgen::package {

// Packages in the cache are locked by their manifest: shared by those who open one, exclusive by who removes it.

// Marks the package as recently used. Null if there is none, or it is being removed.
std::shared_ptr<const void> pin_package(const std::string& package);

// Moves a package that nobody has pinned away at once, so that nobody finds half of it, then deletes it. `temporary`: a
// directory on the same file system. False if it is pinned, or cannot be moved.
bool remove_unpinned(const std::string& package, const std::string& temporary);

// Beside the package, not in it: in which boot of the machine its weights were written, with their sizes and times.
int mark_as_written(const std::string& package);  // errno
bool is_as_written(const std::string& package);
void remove_mark(const std::string& package);

}  // namespace cppgen::package
