#pragma once
#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace cppgen {

// They are in the order of the words of LOGLEVEL.
enum class LogLevel { debug, info, warning, error };

// A word of LOGLEVEL in any case; anything else is a UserError.
LogLevel log_level_from_name(std::string_view name);

// Messages go to stderr, one line each, safe from any thread. The minimum severity that is shown is global to the
// process (like stderr itself) and starts as the default of LOGLEVEL; it has no influence on results.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log_text(LogLevel level, std::string_view text);

// Receives messages in place of stderr, one at a time, from any thread: without a newline, and safe for terminals.
using LogReceiver = std::function<void(LogLevel, const std::string& text)>;
void set_log_receiver(LogReceiver);  // empty: stderr again

// Tells on stderr where the files are that a setting asked for: one line for each setting and path in a process, at
// every level but ERROR.
void log_written(std::string_view setting, std::string_view path);

template <class... Args>
void log_formatted(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_text(level, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  log_formatted(LogLevel::debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_formatted(LogLevel::info, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_formatted(LogLevel::warning, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_formatted(LogLevel::error, format, std::forward<Args>(args)...);
}

}  // namespace cppgen
