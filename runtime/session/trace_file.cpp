#include "runtime/session/trace_file.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "runtime/base/log.h"

namespace cppgen::rt {

TraceFile::TraceFile(const std::string& path) : path_(path), file_(path, "PROFILE_OUTPUT") {}

void TraceFile::add(const Plan& plan, std::span<const std::string> labels,
                    std::span<const std::vector<TraceSlice>> slices) {
  const std::lock_guard lock(mutex_);
  const int process = int(::getpid());
  for (const std::vector<TraceSlice>& of_worker : slices)
    for (const TraceSlice& slice : of_worker) {
      const Step& step = plan.steps[slice.step];
      const Json arguments{
          {"model", plan.model}, {"step", slice.step}, {"chunk", slice.chunk}, {"nodes", step.origins}};
      file_.add({{"name", labels[slice.step]},
                 {"cat", step.engine},
                 {"ph", "X"},
                 {"ts", double(slice.begin_ns) / 1e3},
                 {"dur", double(slice.end_ns - slice.begin_ns) / 1e3},
                 {"pid", process},
                 {"tid", slice.thread},
                 {"args", arguments}});
    }
  file_.flush();
  log_written("PROFILE_OUTPUT", path_);
}

}  // namespace cppgen::rt
