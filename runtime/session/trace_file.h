#pragma once
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/session/json_array_file.h"
#include "runtime/session/trace_slice.h"

namespace cppgen::rt {

// PROFILE_OUTPUT: the runs of a session as "complete events" of Chrome's Trace Event Format. May be used from several
// threads at once.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);  // UserError if the file cannot be written

  // Adds the slices of a run. `labels` has the label of each step.
  void add(const Plan&, std::span<const std::string> labels, std::span<const std::vector<TraceSlice>> slices);

 private:
  const std::string path_;
  std::mutex mutex_;
  JsonArrayFile file_;
};

}  // namespace cppgen::rt
