#include "runtime/package/metadata.h"

#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen::rt {

void write_metadata(const std::string& directory, const Metadata& metadata) {
  nlohmann::json entries = nlohmann::json::array();
  for (const auto& [key, value] : metadata) entries.push_back({{"key", key}, {"value", value}});
  write_package_file(directory + "/" + std::string(kMetadataFile), json_text(entries, 1) + "\n");
}

Metadata read_metadata(const PackageFiles& files, const Manifest& manifest) {
  const ManifestFile* file = manifest.find(kMetadataFile);
  if (!file) return {};
  const MappedFile content = open_package_file(files, *file, true);
  Metadata metadata;
  try {
    for (const auto& entry : parse_json({content.data(), size_t(content.bytes())}))
      metadata.emplace_back(entry.at("key").get<std::string>(), entry.at("value").get<std::string>());
  } catch (const nlohmann::json::exception&) {
    user_error("package '{}': '{}' is not a list of keys and values", files.name(), kMetadataFile);
  }
  return metadata;
}

}  // namespace cppgen::rt
