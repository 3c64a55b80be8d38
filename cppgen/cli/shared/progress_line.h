#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/settings.h"

namespace cppgen {

// Shows the progress of long operations on stderr: "compiling kernels: 3 of 10, 12 s, about 28 s left". On a terminal
// it is one line, which is updated in place at least every second and removed at the end. PROGRESS controls it: unset:
// only on a terminal; 1: always (with one line per step if there is no terminal); 0: never. PROGRESS_NCOLS is its
// greatest width; 0: that of the terminal.
class ProgressLine {
 public:
  // Starts work without steps; on a terminal it is shown after the first second.
  ProgressLine(const Settings&, std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Starts work with so many steps, or advances to the next step; shown at once.
  void show(const std::string& what, int done, int total);

 private:
  void tick();
  void draw();  // with the lock
  std::string line() const;
  std::string estimate() const;  // ", about 28 s left"; empty at first

  const bool terminal_, enabled_;
  const size_t given_columns_;  // 0: none
  const double begin_;
  std::string what_;
  int done_ = 0, total_ = 0, first_done_ = 0;
  double first_time_ = 0;
  bool shown_ = false, ended_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::optional<std::thread> ticker_;
};

}  // namespace cppgen
