#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/base/settings.h"

namespace cppgen {

// What takes long, on stderr: "compiling kernels: 3 of 10, 12 s". On a terminal one line, rewritten in place, every
// second too, and removed at the end. PROGRESS decides: unset on a terminal only, 1 always (then a line for each step
// where there is no terminal), 0 never.
class ProgressLine {
 public:
  // Work without steps; on a terminal it is shown from the first second on.
  ProgressLine(const Settings&, std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Goes on to work of so many steps, or to the next step; shown at once.
  void show(const std::string& what, int done, int total);

 private:
  void tick();
  void draw();  // with the lock

  const bool terminal_, enabled_;
  const double begin_;
  std::string what_;
  int done_ = 0, total_ = 0;
  bool shown_ = false, ended_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread ticker_;
};

}  // namespace cppgen
