#include "runtime/session/session_options.h"

#include "runtime/base/log.h"
#include "runtime/threads/host_profile.h"

namespace cppgen::rt {

SessionOptions SessionOptions::from(const Settings& settings) {
  SessionOptions options;
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING(kind, field, ...) options.field = settings.field;
#include "runtime/base/settings.def"
  if (settings.multistream_mode) options.streams = 1 + settings.multistream_extra_streams;
  options.max_memory = settings.max_memory;
  options.custom_operators = settings.custom_ops;
  options.args_folder = settings.trace_dir + "/args";
  return options;
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
