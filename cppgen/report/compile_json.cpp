#include "cppgen/report/compile_json.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace cppgen::report {

int64_t size_of_directory(const std::string& directory) {
  std::map<ino_t, int64_t> files;  // weights that versions share are one file
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    struct stat st;
    if (::lstat(entry.path().c_str(), &st) == 0 && S_ISREG(st.st_mode)) files[st.st_ino] = st.st_size;
  }
  int64_t bytes = 0;
  for (const auto& [inode, size] : files) bytes += size;
  return bytes;
}

Json stages_json(const CompileReport& report) {
  Json json = Json::object();
  for (const auto& [stage, seconds] : report.stages) json[stage] = seconds;
  return json;
}

Json compile_json(const std::string& model, const std::string& package, const CompileReport& report) {
  Json json;
  json["model"] = model;
  json["package"] = package;
  json["isa"] = report.isa;
  json["bytes"] = size_of_directory(package);
  json["kernels"] = report.kernels;
  json["units"] = report.units;
  json["cached_units"] = report.cached_units;
  json["total_s"] = report.total_s;
  json["weights_s"] = report.weights_s;
  json["stages"] = stages_json(report);
  for (const VersionReport& version : report.versions)
    json["versions"].push_back({{"name", version.name}, {"isa", version.isa}, {"kernels", version.kernels}});
  return json;
}

}  // namespace cppgen::report
