#pragma once
#include <memory>
#include <string>

#include "runtime/base/json_text.h"

namespace cppgen::report {

// A trace in Chrome's Trace Event Format, which Perfetto and chrome://tracing display: "complete events" in named
// lanes.
class ChromeTrace {
 public:
  explicit ChromeTrace(const std::string& process);
  ~ChromeTrace();

  int add_lane(const std::string& name);  // below those before it

  struct Event {
    std::string name, category;
    double begin_s, end_s;  // of one clock for all events
  };
  // Events of a lane follow each other or contain each other. `arguments`: an object, which is shown for the event, or
  // null.
  void add(int lane, const Event&, const Json& arguments);

  // JSON: for each lane its events in the order of time; times begin with 0.
  std::string text() const;

 private:
  struct Lanes;
  const std::string process_;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace cppgen::report
