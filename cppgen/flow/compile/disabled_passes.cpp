#include "cppgen/flow/compile/disabled_passes.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/pipeline.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> pass_names(bool needed) {
  std::vector<std::string> names = passes::pass_names(needed);
  for (const auto& list : {schedule::program_passes(), schedule::fusion_passes(), schedule::kernel_passes()})
    for (const schedule::Pass& pass : list)
      if (pass.needed == needed && !contains(names, pass.name)) names.push_back(pass.name);
  return names;
}

// The name of a pass that had another one in an earlier version.
std::string present_name(const std::string& name) {
  return name == "find_stores_around_caches" ? "find_non_temporal_stores" : name;
}

}  // namespace

std::vector<std::string> optional_passes() { return pass_names(false); }

std::vector<std::string> disabled_passes(const Settings& settings) {
  const std::vector<std::string> allowed = optional_passes();
  std::vector<std::string> disabled;
  for (const std::string& given : settings.disable_passes) {
    const std::string name = present_name(given);
    disabled.push_back(name);
    if (!contains(allowed, name))
      user_error("{}: {} \"{}\"; passes that can be disabled: {}", settings.source(SettingId::disable_passes).name,
                 contains(pass_names(true), name) ? "every compilation needs the pass" : "there is no pass", name,
                 fmt::join(allowed, ", "));
  }
  return disabled;
}

}  // namespace cppgen
