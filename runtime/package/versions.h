#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/package/package.h"

namespace cppgen::rt {

// A package may contain further versions of its model: for given sizes of some of its symbols, and for other
// instruction sets. Each is a package of its own, in a numbered folder of kVersionsFolder. kVersionsFile lists them
// with the hashes of their manifests; like every file of the package it is part of the seal. Each instruction set has
// one version for all sizes; that of the package's own instruction set is the package itself.
inline constexpr std::string_view kVersionsFile = "versions.json";
inline constexpr std::string_view kVersionsFolder = "versions";
inline constexpr size_t kMostVersions = 256;

using SymbolSizes = std::map<std::string, int64_t>;  // by the name of a symbol

struct VersionRow {
  std::string folder;  // in kVersionsFolder
  std::string isa;
  SymbolSizes sizes;          // empty: all sizes
  std::string manifest_hash;  // of its manifest.json
};

// "batch=8,length=128"; "general" for all sizes.
std::string name_of(const SymbolSizes&);

std::string version_directory(const std::string& package, const VersionRow&);
PackageFiles version_files(const PackageFiles&, const VersionRow&);

// The table of a package, empty if its manifest lists none. UserError naming the package if the file is damaged, if it
// contradicts itself, or if it has more rows than kMostVersions.
std::vector<VersionRow> read_versions(const PackageFiles&, const Manifest&);

// The manifest of a version. UserError unless it is the one that the table means.
Manifest read_manifest(const PackageFiles&, const VersionRow&);

// Writes the table with the hashes of the manifests that are there. UserError if that fails.
void write_versions(const std::string& package, std::vector<VersionRow>);

// The directories of the package and of its versions, whatever they contain.
std::vector<std::string> package_directories(const std::string& package);

}  // namespace cppgen::rt
