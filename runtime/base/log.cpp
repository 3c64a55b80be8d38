#include "runtime/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/base/settings.h"

namespace cppgen {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// It is not registered with spdlog, so the program that embeds cppgen keeps its own loggers. Never destroyed:
// worker threads may log while the process ends.
spdlog::logger& logger() {
  static spdlog::logger& instance = [&]() -> spdlog::logger& {
    auto* made = new spdlog::logger("cppgen", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("cppgen: %^%l%$: %v");
    made->set_level(spdlog_level(log_level_from_name(setting_default<SettingId::loglevel>())));
    return *made;
  }();
  return instance;
}

}  // namespace

LogLevel log_level_from_name(std::string_view name) { return LogLevel(choice_index(SettingId::loglevel, name)); }

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool log_enabled(LogLevel level) { return logger().should_log(spdlog_level(level)); }

void log_text(LogLevel level, std::string_view text) {
  const std::string shown = for_terminal(text);
  logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
}

}  // namespace cppgen
