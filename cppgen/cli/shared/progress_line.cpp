#include "cppgen/cli/shared/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <limits>

#include "cppgen/cli/shared/command_support.h"
#include "runtime/base/helper_threads.h"

namespace cppgen {
namespace {

constexpr size_t kAnyWidth = std::numeric_limits<size_t>::max();

// Asked for each time, because windows are resized. The last column is left free: some terminals wrap there.
size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size_t(size.ws_col) - 1 : kAnyWidth;
}

}  // namespace

ProgressLine::ProgressLine(const Settings& settings, std::string what)
    : terminal_(isatty(STDERR_FILENO) == 1),
      enabled_(settings.progress.value_or(terminal_)),
      given_columns_(size_t(settings.progress_ncols)),
      begin_(seconds_now()),
      what_(std::move(what)) {
  if (enabled_ && terminal_) ticker_ = try_thread([this] { tick(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (ticker_) ticker_->join();
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return ended_; })) draw();
}

void ProgressLine::show(const std::string& what, int done, int total) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  if (total != total_ || done < done_) first_done_ = done, first_time_ = seconds_now();
  what_ = what, done_ = done, total_ = total;
  draw();
}

// What is left will take as long for each step as the steps since this total was set.
std::string ProgressLine::estimate() const {
  constexpr int kLeastSteps = 2;
  constexpr double kLeastSeconds = 2;
  const int steps = done_ - first_done_;
  const double seconds = seconds_now() - first_time_;
  if (steps < kLeastSteps || seconds < kLeastSeconds) return "";
  const double left = seconds / steps * (total_ - done_);
  return left < 90 ? fmt::format(", about {:.0f} s left", left) : fmt::format(", about {:.0f} min left", left / 60);
}

// A line that is too long would wrap, and then be repeated instead of replaced: what is done is shortened, the numbers
// stay.
std::string ProgressLine::line() const {
  std::string numbers = total_ > 0 ? fmt::format(": {} of {}", done_, total_) : "";
  numbers += fmt::format(", {:.0f} s{}", seconds_now() - begin_, estimate());
  const size_t columns = given_columns_ > 0 ? given_columns_ : terminal_ ? terminal_columns() : kAnyWidth;
  const size_t room = columns > numbers.size() ? columns - numbers.size() : 0;
  return (what_.substr(0, room) + numbers).substr(0, columns);
}

void ProgressLine::draw() {
  std::fputs((terminal_ ? "\r\x1b[K" + line() : line() + "\n").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace cppgen
