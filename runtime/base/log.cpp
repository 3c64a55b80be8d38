#include "runtime/base/log.h"

#define SPDLOG_FMT_EXTERNAL
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/base/log_copy.h"
#include "runtime/base/printable.h"
#include "runtime/base/setting_default.h"

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
    made->set_level(spdlog_level(log_level_from_name(setting_default<SettingKind::choice>("LOGLEVEL"))));
    return *made;
  }();
  return instance;
}

struct Receiver {
  std::mutex mutex;
  LogReceiver receive;
  std::atomic<bool> set{false};

  // False if there is none.
  bool write(LogLevel level, const std::string& text) {
    if (!set) return false;
    const std::lock_guard lock(mutex);
    if (!receive) return false;
    receive(level, text);
    return true;
  }
};

// Never destroyed, like the logger.
Receiver& receiver() {
  static Receiver& instance = *new Receiver;
  return instance;
}

}  // namespace

void set_log_receiver(LogReceiver receive) {
  const std::lock_guard lock(receiver().mutex);
  receiver().set = bool(receive);
  receiver().receive = std::move(receive);
}

struct LogCopies {
  std::mutex mutex;
  std::vector<LogCopy*> all;
  std::atomic<bool> any{false};

  static LogCopies& instance() {
    static LogCopies& copies = *new LogCopies;  // never destroyed, like the logger
    return copies;
  }

  void change(LogCopy* copy, bool add) {
    const std::lock_guard lock(mutex);
    add ? all.push_back(copy) : void(std::erase(all, copy));
    any = !all.empty();
  }
  void write(LogLevel level, const std::string& text) {
    constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
    if (!any || level == LogLevel::debug) return;
    const std::lock_guard lock(mutex);
    for (LogCopy* copy : all) copy->text_ += fmt::format("{}: {}\n", kNames[size_t(level)], text);
  }
};

LogCopy::LogCopy() { LogCopies::instance().change(this, true); }

LogCopy::~LogCopy() { LogCopies::instance().change(this, false); }

std::string LogCopy::text() const {
  const std::lock_guard lock(LogCopies::instance().mutex);
  return text_;
}

LogLevel log_level_from_name(std::string_view name) { return LogLevel(choice_index("LOGLEVEL", name)); }

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool log_enabled(LogLevel level) {
  return logger().should_log(spdlog_level(level)) || (level != LogLevel::debug && LogCopies::instance().any);
}

void log_text(LogLevel level, std::string_view text) {
  const std::string shown = for_terminal(text);
  LogCopies::instance().write(level, shown);
  if (logger().should_log(spdlog_level(level)) && receiver().write(level, shown)) return;
  logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
}

namespace {

// Never destroyed, like the logger.
struct WrittenFiles {
  std::mutex mutex;
  std::set<std::string> told, temporary_folders;
};

WrittenFiles& written_files() {
  static WrittenFiles& files = *new WrittenFiles;
  return files;
}

}  // namespace

void log_no_files_of(std::string_view temporary_folder) {
  WrittenFiles& files = written_files();
  const std::lock_guard lock(files.mutex);
  files.temporary_folders.insert(std::string(temporary_folder) + "/");
}

void log_written(std::string_view setting, std::string_view path) {
  WrittenFiles& files = written_files();
  const std::string text = one_line(fmt::format("{}: written to {}", setting, path));
  const std::lock_guard lock(files.mutex);
  const auto& temporary = files.temporary_folders;
  if (std::any_of(temporary.begin(), temporary.end(), [&](const auto& folder) { return path.starts_with(folder); }))
    return;
  if (!files.told.insert(text).second) return;
  LogCopies::instance().write(LogLevel::info, text);
  if (!logger().should_log(spdlog_level(LogLevel::warning)) || receiver().write(LogLevel::info, text)) return;
  std::fprintf(stderr, "cppgen: %s\n", text.c_str());
}

}  // namespace cppgen
