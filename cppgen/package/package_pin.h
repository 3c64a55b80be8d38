#pragma once
#include <memory>
#include <string>

namespace cppgen::package {

// Packages in the cache are locked by their manifest: shared by processes that open a package, exclusively by one that
// removes it.

// Marks the package as recently used. Null if there is none, or it is being removed.
std::shared_ptr<const void> pin_package(const std::string& package);

// Moves an unpinned package away atomically, so that no process finds half of it, then deletes it. `temporary`: a
// directory on the same file system. False if it is pinned, or cannot be moved.
bool remove_unpinned(const std::string& package, const std::string& temporary);

// A file next to the package, not in it, that records the boot of the machine in which its weights were written, with
// their sizes and times.
int mark_as_written(const std::string& package);  // errno
bool is_as_written(const std::string& package);
void remove_mark(const std::string& package);

}  // namespace cppgen::package
