#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/package/package_files.h"

namespace cppgen::rt {

// A compiled model on disk: a directory with manifest.json, plan.json, kernels_*.so and weights.bin. It contains no
// absolute paths, so it may be moved.

inline constexpr std::string_view kPackageFormat = "cppgen-package";
inline constexpr int64_t kPackageFormatVersion = 16;
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kPlanFile = "plan.json";
inline constexpr std::string_view kModuleFile = "module.json";  // of a model of several plans
inline constexpr std::string_view kCostsFile = "costs.json";    // runtime/plan/costs_json.h; may be missing
std::string plan_file_name(int32_t plan);                       // "plan_0.json": of such a model
std::string weights_file_name(int32_t plan);                    // "weights_0.bin"
inline constexpr std::string_view kWeightsFile = "weights.bin";

struct ManifestFile {
  std::string name;  // of a file in the directory itself
  int64_t bytes = 0;
  std::string hash;  // see runtime/base/content_hash.h
};

struct Manifest {
  int64_t format_version = kPackageFormatVersion;
  int64_t abi_version = 0;
  std::string isa;
  std::string cppgen_version;
  std::vector<ManifestFile> files;

  const ManifestFile* find(std::string_view name) const;  // null if not listed
};

// UserError, naming the file, what was found and what is expected, unless they are a package that this runtime
// understands: format, versions, names.
Manifest read_manifest(const PackageFiles&);

// Seals the objects of `directory` (seal.h; they must not be links to files of other packages), lists and hashes every
// regular file but the manifest itself, and writes the manifest (through a rename). This is the last step of writing a
// package. UserError if it fails.
void write_manifest(const std::string& directory, const std::string& isa);

// Writes a small file to disk. UserError if it fails.
void write_package_file(const std::string& path, std::string_view content);

// Reads a listed file and checks its size and, with `hash`, its hash. UserError naming the file if it is missing,
// shorter or longer than listed, or altered. A file is mapped only on request: whoever truncates a mapped file ends the
// processes that read it. Several threads read and hash a large file.
MappedFile open_package_file(const PackageFiles&, const ManifestFile& file, bool hash, MapOptions = {.copy = true});

// Does the same for a file of JSON, which has at most as many bytes as the plans of very large models.
inline constexpr int64_t kMostJsonBytes = int64_t{1} << 28;
MappedFile open_package_json(const PackageFiles&, const ManifestFile& file);

// UserError if it is missing or has another size, before anything is read.
void require_package_file(const PackageFiles&, const ManifestFile& file);
// The checks for a content that was read.
void check_package_file(const PackageFiles&, const ManifestFile& file, std::span<const char>);

}  // namespace cppgen::rt
