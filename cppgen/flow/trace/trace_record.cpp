#include "cppgen/flow/trace/trace_record.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "cppgen/support/tar.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

constexpr const char* kFile = "/repro.json";

bool stays_inside(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

}  // namespace

TraceRecord read_trace_record(const std::string& folder, const std::string& shown) {
  const std::string path = (shown.empty() ? folder : shown) + kFile;
  constexpr int64_t kMostBytes = int64_t{1} << 26;
  const auto content = try_read_file(folder + kFile, kMostBytes);
  if (!content) user_error("'{}' is not a trace: it has no repro.json", shown.empty() ? folder : shown);
  const nlohmann::json json = parse_json_or_discard(*content);
  if (json.is_discarded()) user_error("'{}' is malformed: it is not JSON", path);
  TraceRecord record;
  try {
    record.version = json.at("version").get<std::string>();
    record.isa = json.at("isa").get<std::string>();
    record.cpu = json.at("cpu").get<std::string>();
    record.compiler = json.at("compiler").get<std::string>();
    record.l2_bytes = json.at("l2_bytes").get<int64_t>(), record.l3_bytes = json.at("l3_bytes").get<int64_t>();
    record.model = json.at("model").get<std::string>();
    record.model_sha256 = json.at("model_sha256").get<std::string>();
    record.dims = json.at("dims").get<std::vector<std::string>>();
    record.states = json.value("states", std::vector<std::string>());  // older versions wrote none
    record.settings = json.at("settings").get<std::map<std::string, std::string>>();
    record.kernels = json.at("kernels").get<std::map<std::string, std::string>>();
    record.files = json.at("files").get<std::vector<std::string>>();
    record.compile_error = json.at("compile_error").get<std::string>();
    record.has_run = json.at("has_run").get<bool>();
    record.run_error = json.at("run_error").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    user_error("'{}' is malformed: a field is missing or has another type", path);
  }
  std::vector<std::string> names = record.files;
  if (!record.model.empty()) names.push_back(record.model);
  for (const auto& [name, hash] : record.kernels) names.push_back(name);
  for (const std::string& name : names)
    if (!stays_inside(name)) user_error("'{}': the name '{}' leads out of the folder", path, one_line(name));
  return record;
}

void write_trace_record(const std::string& folder, const TraceRecord& record) {
  Json json;
  json["version"] = record.version;
  json["isa"] = record.isa;
  json["cpu"] = record.cpu;
  json["compiler"] = record.compiler;
  json["l2_bytes"] = record.l2_bytes, json["l3_bytes"] = record.l3_bytes;
  json["model"] = record.model;
  json["model_sha256"] = record.model_sha256;
  json["dims"] = record.dims;
  json["states"] = record.states;
  json["settings"] = record.settings;
  json["kernels"] = record.kernels;
  json["files"] = record.files;
  json["compile_error"] = record.compile_error;
  json["has_run"] = record.has_run, json["run_error"] = record.run_error;
  const std::string path = folder + kFile;
  if (const int error = write_file(path, json_text(json, 1) + "\n"))
    user_error("'{}' cannot be written: {}", path, error_text(error));
}

void pack_trace(const std::string& folder, const TraceRecord& record) {
  std::vector<TarFile> files{{kFile + 1, folder + kFile}};
  for (const std::string& name : record.files) files.push_back({name, folder + "/" + name});
  write_tar(folder + ".tar", files);
}

}  // namespace cppgen
