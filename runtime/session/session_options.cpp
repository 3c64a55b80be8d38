#include "runtime/session/session_options.h"

#include "runtime/base/log.h"
#include "runtime/base/settings.h"
#include "runtime/threads/host_profile.h"

namespace cppgen::rt {

SessionOptions SessionOptions::from(const Settings& settings) {
  SessionOptions options;
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING(kind, field, ...) options.field = settings.field;
#include "runtime/base/settings.def"
  options.max_memory = settings.max_memory;
  return options;
}

int64_t concurrent_steps(const SessionOptions& options) {
  return options.multistream_mode ? 1 + options.multistream_extra_streams : 1;
}

bool plans_memory(const SessionOptions& options) { return options.memory_planning && options.memory_pool != "none"; }

bool reuses_memory(const SessionOptions& options) { return options.allow_buffer_reuse && !options.nan_asserts; }

bool outputs_in_arena(const SessionOptions& options) {
  return options.memory_pool == "combined" && options.memory_planning;
}

SessionOptions SessionOptions::from_environment() { return from(environment_settings()); }

Settings environment_settings() {
  Settings settings = Settings::from_environment(process_environment(), {}, SettingReader::runtime);
  apply_host_profile(settings);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return settings;
}

}  // namespace cppgen::rt
