#pragma once
#include <functional>
#include <memory>
#include <string>

#include "runtime/package/package.h"

namespace cppgen::rt {

// The weights of a package in a directory, read once as long as a session of this process holds them: `read` is called
// unless some are in memory that came from the same file. A file is the same if its device, inode, size and times are,
// and the manifest states the same hash; memory is of the same `kind` if it asks for huge pages and is placed alike.
// `verified`: `read` compares the hash, and weights that were read without that will not do. Called by any thread.
std::shared_ptr<const MappedFile> shared_weights(const std::string& path, const ManifestFile&, bool verified,
                                                 const MapOptions& kind, const std::function<MappedFile()>& read);

}  // namespace cppgen::rt
