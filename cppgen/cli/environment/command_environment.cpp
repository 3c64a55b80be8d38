// cppgen config, cppgen isa
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/settings_file.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/report/settings_json.h"
#include "cppgen/support/file_io.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// All, or those with these names.
std::vector<SettingDescription> chosen(std::vector<SettingDescription> settings,
                                       const std::vector<std::string>& names) {
  if (names.empty()) return settings;
  const std::vector<SettingDescription> all = Settings().describe();
  std::vector<std::string_view> wanted;
  for (const std::string& name : names) wanted.push_back(all[size_t(setting_named(name))].name);
  std::erase_if(settings, [&](const SettingDescription& setting) {
    return std::find(wanted.begin(), wanted.end(), setting.name) == wanted.end();
  });
  return settings;
}

std::string config_text(const std::vector<SettingDescription>& settings) {
  std::string text;
  for (const SettingDescription& setting : settings) {
    text += fmt::format("{}={}  ({})\n", setting.name, setting.value, setting.source);
    text += fmt::format("    {}\n", setting.doc);
    text += fmt::format("    default {}; allowed: {}\n",
                        setting.default_value.empty() ? "empty" : setting.default_value, setting.allowed);
    if (!setting.aliases.empty())
      text += fmt::format("    CPPGEN_{}, also {}\n", setting.name, fmt::join(setting.aliases, ", "));
  }
  return text;
}

std::string diff_text(const std::vector<SettingDescription>& settings) {
  std::string text;
  for (const SettingDescription& setting : settings)
    text += fmt::format("{}={}  ({}; default {})\n", setting.name, setting.value, setting.source,
                        setting.default_value.empty() ? "empty" : setting.default_value);
  return text;
}

struct Selection {
  CpuFeatures cpu;
  const VecISA* selected = nullptr;  // null: the requested instruction set is not available
  std::string reason;
};

Selection select(const Settings& settings) {
  Selection selection{detect_cpu_features(), nullptr, ""};
  try {
    selection.selected = &likely_isa(settings);
  } catch (const UserError& error) {
    selection.reason = error.what();
  }
  return selection;
}

std::string isa_text(const Selection& selection) {
  std::string text = fmt::format("this CPU: {}\n\n", to_string(selection.cpu));
  for (const VecISA& isa : all_isas()) {
    const CpuFeatures missing = isa.required.without(selection.cpu);
    text += fmt::format("{} {:<12} {:>4} bits  {:<4} {}\n", &isa == selection.selected ? '*' : ' ', isa.name,
                        isa.vector_bits, missing.bits ? "no" : "yes", isa.description);
    if (missing.bits) text += fmt::format("{:>30}lacks {}\n", "", to_string(missing));
  }
  return text + (selection.selected ? fmt::format("\n* selected: {}\n", selection.selected->name) : "");
}

std::string isa_json(const Selection& selection) {
  Json json;
  json["cpu"] = to_string(selection.cpu);
  if (selection.selected) {
    json["selected"] = selection.selected->name;
  } else {
    json["selected"] = nullptr;
    json["reason"] = selection.reason;
  }
  json["isas"] = Json::array();
  for (const VecISA& isa : all_isas()) {
    const CpuFeatures missing = isa.required.without(selection.cpu);
    Json item;
    item["name"] = isa.name;
    item["description"] = isa.description;
    item["vector_bits"] = isa.vector_bits;
    item["supported"] = missing.bits == 0;
    item["missing"] = missing.bits ? to_string(missing) : "";
    item["selected"] = &isa == selection.selected;
    json["isas"].push_back(std::move(item));
  }
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_config(const ConfigOptions& options, const CancelToken&) {
  const Settings settings = read_settings(options);
  if (options.save) {
    if (options.save->empty()) user_error("--save: the name of the file is empty");
    if (const int error = publish_file(*options.save, settings_file_text(changed_settings(settings))))
      user_error("cannot write '{}': {}", *options.save, error_text(error));
    if (!options.diff && !options.json) return kDone;
  }
  check_settings(settings);
  const auto listed = options.diff ? changed_settings(settings) : settings.describe();
  const auto shown = report::without_passwords(chosen(listed, options.names));
  print_result(options.json ? json_text(report::settings_json(shown), 2) + "\n"
                            : for_terminal(options.diff ? diff_text(shown) : config_text(shown)));
  return kDone;
}

ExitCode command_isa(const CommonOptions& options, const CancelToken&) {
  const Selection selection = select(read_settings(options));
  print_result(options.json ? isa_json(selection) : isa_text(selection));
  if (!selection.selected) throw UserError(selection.reason);
  return kDone;
}

}  // namespace cppgen
