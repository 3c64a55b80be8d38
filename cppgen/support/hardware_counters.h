#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cppgen/support/file_io.h"

namespace cppgen {

// Events of the CPU in all threads that this process has when the counters are made, by perf_event_open(2): cycles,
// instructions, accesses and misses of the last-level cache, mispredicted branches. Only those in the program, not in
// the kernel, count. Many virtual machines and containers have or allow none.
class HardwareCounters {
 public:
  HardwareCounters();

  bool available() const { return !events_.empty(); }
  const std::string& reason() const { return reason_; }  // why there are none

  void start();  // from 0
  void stop();

  struct Count {
    std::string name;
    double value = 0;  // estimated where the CPU counts only some events at a time
  };
  std::vector<Count> counts() const;

 private:
  struct Event {
    std::string name;
    std::vector<FileDescriptor> threads;
  };
  std::vector<Event> events_;
  std::string reason_;

  void control(unsigned long request) const;
};

}  // namespace cppgen
