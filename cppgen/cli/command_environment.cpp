// cppgen config, cppgen isa
#include <fmt/format.h>

#include <optional>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/json_writer.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

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

std::string config_json(const std::vector<SettingDescription>& settings) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("settings");
  for (const SettingDescription& setting : settings) {
    json.begin_object();
    json.field("name", setting.name);
    json.field("variable", fmt::format("CPPGEN_{}", setting.name));
    json.field("value", setting.value);
    json.field("source", setting.source);
    json.field("default", setting.default_value);
    json.field("allowed", setting.allowed);
    json.list("aliases", std::span<const std::string>(setting.aliases));
    json.field("changes_kernels", setting.in_key);
    json.field("doc", setting.doc);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

struct Selection {
  CpuFeatures cpu;
  const VecISA* selected = nullptr;  // null: the requested instruction set is not available
  std::string reason;
};

Selection select(const Settings& settings) {
  Selection selection{detect_cpu_features(), nullptr, ""};
  try {
    selection.selected = &select_isa({settings.isa, int(settings.simdlen), settings.vec_isa_ok}, selection.cpu);
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
  JsonWriter json;
  json.begin_object();
  json.field("cpu", to_string(selection.cpu));
  if (selection.selected) {
    json.field("selected", selection.selected->name);
  } else {
    json.null("selected");
    json.field("reason", selection.reason);
  }
  json.begin_array("isas");
  for (const VecISA& isa : all_isas()) {
    const CpuFeatures missing = isa.required.without(selection.cpu);
    json.begin_object();
    json.field("name", isa.name);
    json.field("description", isa.description);
    json.field("vector_bits", isa.vector_bits);
    json.field("supported", missing.bits == 0);
    json.field("missing", missing.bits ? to_string(missing) : "");
    json.field("selected", &isa == selection.selected);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace

ExitCode command_config(const CommonOptions& options) {
  const auto settings = read_settings(options).describe();
  print_result(options.json ? config_json(settings) : config_text(settings));
  return kDone;
}

ExitCode command_isa(const CommonOptions& options) {
  const Selection selection = select(read_settings(options));
  print_result(options.json ? isa_json(selection) : isa_text(selection));
  if (!selection.selected) throw UserError(selection.reason);
  return kDone;
}

}  // namespace cppgen
