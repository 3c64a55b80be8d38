#pragma once
#include <string>
#include <utility>
#include <vector>

#include "runtime/package/package.h"

namespace cppgen::rt {

// This file, which a package may lack, lists what the model's file said about the model, as keys and values.
inline constexpr std::string_view kMetadataFile = "metadata.json";
using Metadata = std::vector<std::pair<std::string, std::string>>;

void write_metadata(const std::string& directory, const Metadata&);

// Empty if the manifest lists no such file. UserError naming the file if it is damaged.
Metadata read_metadata(const PackageFiles&, const Manifest&);

}  // namespace cppgen::rt
