#include "runtime/package/versions.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/plain_file_name.h"

namespace cppgen::rt {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& package, const std::string& why) {
  user_error("package '{}': '{}' is damaged: {}", package, kVersionsFile, why);
}

int64_t size_from(const json& value, const std::string& package, const std::string& symbol) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
    refuse(package, fmt::format("the size of '{}' is not an integer of at least 0", symbol));
  return value.get<int64_t>();
}

VersionRow row_from(const json& node, const std::string& package) {
  VersionRow row;
  node.at("folder").get_to(row.folder), node.at("isa").get_to(row.isa);
  node.at("manifest_xxh3").get_to(row.manifest_hash);
  if (!is_plain_file_name(row.folder)) refuse(package, fmt::format("'{}' is not the name of a folder", row.folder));
  const json& sizes = node.at("sizes");
  if (!sizes.is_object()) refuse(package, "the field 'sizes' is not an object");
  for (const auto& [symbol, size] : sizes.items()) row.sizes.emplace(symbol, size_from(size, package, symbol));
  return row;
}

// Every instruction set has one version for all sizes, and one for each given set of sizes.
void check_rows(const std::vector<VersionRow>& rows, const std::string& package, const std::string& own_isa) {
  std::set<std::pair<std::string, SymbolSizes>> versions{{own_isa, {}}};
  std::set<std::string> folders;
  for (const VersionRow& row : rows) {
    if (!versions.emplace(row.isa, row.sizes).second)
      refuse(package, fmt::format("there are two versions {} for {}", name_of(row.sizes), row.isa));
    if (!folders.insert(row.folder).second)
      refuse(package, fmt::format("two versions are in the folder '{}'", row.folder));
  }
  for (const VersionRow& row : rows)
    if (!versions.contains({row.isa, {}}))
      refuse(package, fmt::format("there is no version for {} and all sizes", row.isa));
}

std::string manifest_path(const std::string& directory) { return directory + "/" + std::string(kManifestFile); }

}  // namespace

std::string name_of(const SymbolSizes& sizes) {
  std::string name;
  for (const auto& [symbol, size] : sizes) name += fmt::format("{}{}={}", name.empty() ? "" : ",", symbol, size);
  return name.empty() ? "general" : name;
}

std::string version_directory(const std::string& package, const VersionRow& row) {
  return fmt::format("{}/{}/{}", package, kVersionsFolder, row.folder);
}

PackageFiles version_files(const PackageFiles& package, const VersionRow& row) {
  return package.folder(fmt::format("{}/{}", kVersionsFolder, row.folder));
}

std::vector<VersionRow> read_versions(const PackageFiles& files, const Manifest& manifest) {
  const std::string& package = files.name();
  const ManifestFile* listed = manifest.find(kVersionsFile);
  if (!listed) return {};
  const MappedFile file = open_package_json(files, *listed);
  const json root = parse_json_or_discard({file.content().data(), file.content().size()});
  std::vector<VersionRow> rows;
  try {
    const json& list = root.at("versions");
    if (!list.is_array()) refuse(package, "the field 'versions' is not a list");
    if (list.size() > kMostVersions)
      refuse(package, fmt::format("it lists {} versions; at most {} are allowed", list.size(), kMostVersions));
    for (const json& node : list) rows.push_back(row_from(node, package));
  } catch (const json::exception& error) {
    refuse(package, error.what());
  }
  check_rows(rows, package, manifest.isa);
  return rows;
}

Manifest read_manifest(const PackageFiles& files, const VersionRow& row) {
  const std::string& package = files.name();
  const PackageFiles version = version_files(files, row);
  Manifest manifest = read_manifest(version);
  if (content_hash(version.open(std::string(kManifestFile), {.copy = true}).content()) != row.manifest_hash)
    user_error("package '{}': the version {} in '{}/{}' was altered, or belongs to another package", package,
               name_of(row.sizes), kVersionsFolder, row.folder);
  if (manifest.isa != row.isa)
    user_error("package '{}': the version {} is for the ISA '{}', but '{}' says '{}'", package, name_of(row.sizes),
               manifest.isa, kVersionsFile, row.isa);
  return manifest;
}

void write_versions(const std::string& package, std::vector<VersionRow> rows) {
  json list = json::array();
  for (VersionRow& row : rows) {
    row.manifest_hash = content_hash(MappedFile(manifest_path(version_directory(package, row))).content());
    list.push_back(
        {{"folder", row.folder}, {"isa", row.isa}, {"sizes", row.sizes}, {"manifest_xxh3", row.manifest_hash}});
  }
  write_package_file(package + "/" + std::string(kVersionsFile), json_text(json{{"versions", list}}, 1) + "\n");
}

std::vector<std::string> package_directories(const std::string& package) {
  std::vector<std::string> directories{package};
  std::error_code error;
  fs::directory_iterator it(package + "/" + std::string(kVersionsFolder), error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) directories.push_back(it->path().string());
  std::sort(directories.begin() + 1, directories.end());
  return directories;
}

}  // namespace cppgen::rt
