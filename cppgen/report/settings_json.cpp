#include "cppgen/report/settings_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cppgen::report {

static std::string without_password(const std::string& value) {
  const size_t scheme = value.find("://"), at = value.rfind('@');
  if (scheme == value.npos || at == value.npos) return value;
  const size_t colon = value.find(':', scheme + 3);
  return colon < at ? value.substr(0, colon + 1) + "***" + value.substr(at) : value;
}

std::vector<SettingDescription> without_passwords(std::vector<SettingDescription> settings) {
  for (SettingDescription& setting : settings)
    if (setting.name == "REMOTE_CACHE") setting.value = without_password(setting.value);
  return settings;
}

Json settings_json(const std::vector<SettingDescription>& settings) {
  Json json;
  json["settings"] = Json::array();
  for (const SettingDescription& setting : settings) {
    Json item;
    item["name"] = setting.name;
    item["variable"] = fmt::format("CPPGEN_{}", setting.name);
    item["value"] = setting.value;
    item["source"] = setting.source;
    item["default"] = setting.default_value;
    item["allowed"] = setting.allowed;
    item["aliases"] = setting.aliases;
    item["changes_kernels"] = setting.in_key;
    item["used_by_runs"] = setting.running;
    item["doc"] = setting.doc;
    json["settings"].push_back(std::move(item));
  }
  return json;
}

}  // namespace cppgen::report
