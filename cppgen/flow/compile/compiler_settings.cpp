#include "cppgen/flow/compile/compiler_settings.h"

#include <filesystem>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/tuning.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/threads/host_profile.h"

namespace cppgen {
namespace {

// A cache directory that is named by another tool's variable and cannot be ours does not stop us.
void refuse_foreign_cache(Settings& settings) {
  if (settings.source(SettingId::cache_dir).kind != SettingSource::alias) return;
  try {
    std::error_code error;
    const std::string parent = parent_directory(settings.cache_dir);
    const bool is_there = std::filesystem::exists(settings.cache_dir, error);
    if (std::filesystem::exists(parent, error) && !std::filesystem::is_directory(parent, error))
      user_error("'{}' is not a directory", parent);
    if (is_there) (void)make_private_directory(settings.cache_dir, "the cache directory");
  } catch (const UserError& error) {
    settings.ignore_alias(SettingId::cache_dir, error.what());
  }
}

}  // namespace

Settings compiler_settings(const Environment& environment, std::span<const std::pair<std::string, std::string>> given) {
  Settings settings = Settings::from_environment(environment, given);
  rt::apply_host_profile(settings);
  (void)schedule::tuned(schedule::Tuning(1), settings.tuning);  // before anything reads the model
  (void)schedule::costs_with(settings.costs);
  refuse_foreign_cache(settings);
  refuse_foreign_texts(settings);
  return settings;
}

}  // namespace cppgen
