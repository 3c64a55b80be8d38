#include "cppgen/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "cppgen/cli/command_support.h"

namespace cppgen {

ProgressLine::ProgressLine(const Settings& settings, std::string what)
    : terminal_(isatty(STDERR_FILENO) == 1),
      enabled_(settings.progress.value_or(terminal_)),
      begin_(seconds_now()),
      what_(std::move(what)) {
  if (enabled_ && terminal_) ticker_ = std::thread([this] { tick(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return ended_; })) draw();
}

void ProgressLine::show(const std::string& what, int done, int total) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  what_ = what, done_ = done, total_ = total;
  draw();
}

void ProgressLine::draw() {
  std::string line = what_;
  if (total_ > 0) line += fmt::format(": {} of {}", done_, total_);
  line += fmt::format(", {:.0f} s", seconds_now() - begin_);
  std::fputs((terminal_ ? "\r\x1b[K" + line : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace cppgen
