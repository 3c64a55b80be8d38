#include "cppgen/cli/compile_report.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cppgen/cli/command_support.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

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

}  // namespace

Json stages_json(const CompileReport& report) {
  Json json = Json::object();
  for (const auto& [stage, seconds] : report.stages) json[stage] = seconds;
  return json;
}

std::string compile_text(const CompileOptionsGiven& options, const CompileReport& report) {
  std::string stages;
  for (const auto& [stage, seconds] : report.stages)
    stages += fmt::format("  {:<10} {}\n", stage, seconds_text(seconds));
  std::string versions;
  for (const VersionReport& version : report.versions)
    versions += fmt::format("  version {} for {}: {}\n", printable(version.name), version.isa,
                            counted(version.kernels, "kernel"));
  return fmt::format("{}: {} for {} in {} ({} from the cache), {}, {}\n{}{}", options.output,
                     counted(report.kernels, "kernel"), report.isa, counted(report.units, "unit"), report.cached_units,
                     bytes_text(size_of_directory(options.output)), seconds_text(report.total_s), versions, stages);
}

std::string compile_json(const CompileOptionsGiven& options, const CompileReport& report) {
  Json json;
  json["model"] = options.model;
  json["package"] = options.output;
  json["isa"] = report.isa;
  json["bytes"] = size_of_directory(options.output);
  json["kernels"] = report.kernels;
  json["units"] = report.units;
  json["cached_units"] = report.cached_units;
  json["total_s"] = report.total_s;
  json["weights_s"] = report.weights_s;
  json["stages"] = stages_json(report);
  for (const VersionReport& version : report.versions)
    json["versions"].push_back({{"name", version.name}, {"isa", version.isa}, {"kernels", version.kernels}});
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
