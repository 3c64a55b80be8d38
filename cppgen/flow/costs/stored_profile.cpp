#include "cppgen/flow/costs/stored_profile.h"

#include <nlohmann/json.hpp>

#include "cppgen/flow/compile/model_key.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/remove_files.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

bool may_be_kept(const Settings& settings) { return settings.kernel_cache && !settings.force_disable_caches; }

std::string folder_of(const CompileRequest& request) { return request.settings.cache_dir + "/profiles"; }

std::string file_of(const CompileRequest& request) {
  const auto custom = rt::read_custom_files(custom_operator_paths(request));
  return folder_of(request) + "/" + model_key(request, custom, model_sha256(request)) + ".json";
}

// Throws nlohmann::json::exception if a field is missing or has another type.
StoredProfile profile_of(const nlohmann::json& json) {
  StoredProfile profile;
  json.at("threads").get_to(profile.threads);
  json.at("run_ms").get_to(profile.run_ms);
  profile.under_load = json.value("under_load", false);
  for (const nlohmann::json& item : json.at("steps"))
    profile.steps.push_back({item.at("name"), item.at("ms"), item.at("bound_ms")});
  return profile;
}

}  // namespace

double StoredProfile::steps_ms() const {
  double sum = 0;
  for (const Step& step : steps) sum += step.ms;
  return sum;
}

void store_profile(const CompileRequest& request, const StoredProfile& profile) {
  if (!may_be_kept(request.settings)) return;
  Json json;
  json["threads"] = profile.threads;
  json["run_ms"] = profile.run_ms;
  json["under_load"] = profile.under_load;
  json["steps"] = Json::array();
  for (const StoredProfile::Step& step : profile.steps)
    json["steps"].push_back({{"name", step.name}, {"ms", step.ms}, {"bound_ms", step.bound_ms}});
  int error = make_private_directory(request.settings.cache_dir, "CACHE_DIR");
  if (error == 0) error = make_directories(folder_of(request));
  if (error == 0) error = publish_file(file_of(request), json_text(json, -1) + "\n");
  if (error != 0) log_warning("{}: the profile cannot be kept: {}", folder_of(request), error_text(error));
}

int64_t clear_profiles(const std::string& cache_dir) { return remove_files(cache_dir + "/profiles"); }

std::optional<StoredProfile> find_profile(const CompileRequest& request) {
  if (!may_be_kept(request.settings)) return std::nullopt;
  const auto text = try_read_file(file_of(request));
  if (!text) return std::nullopt;
  try {
    return profile_of(parse_json(*text));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace cppgen
