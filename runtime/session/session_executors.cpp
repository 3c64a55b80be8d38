#include "runtime/session/session_executors.h"

#include <fmt/format.h>

#include <mutex>

#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/session/session.h"
#include "runtime/threads/topology.h"

namespace cppgen::rt {
namespace {

// Once per process, because a server creates many sessions.
void warn_of_too_many_threads(const SessionOptions& options, const Topology& usable) {
  static std::once_flag once;
  const int cpus = default_threads(usable, /*smt=*/true);
  if (options.threads * options.num_streams > cpus)
    std::call_once(once, [&] {
      log_warning("THREADS={}{} exceeds the {} that this process may use: its threads will wait for each other",
                  options.threads,
                  options.num_streams > 1 ? fmt::format(" for each of {} streams", options.num_streams) : "",
                  counted(cpus, "CPU"));
    });
}

}  // namespace

Executors executors_for(const SessionOptions& options) {
  const Topology all = usable_topology();
  warn_of_too_many_threads(options, all);
  const Topology usable = cores_of_type(all, core_type_from_name(options.core_type));
  Executors executors;
  for (ExecutorOptions& stream :
       stream_options(usable, options.num_streams, options.threads, affinity_from_name(options.affinity), options.smt,
                      options.spin_microseconds)) {
    stream.flush_denormals = options.flush_denormals;
    executors.push_back(make_executor(std::move(stream)));
  }
  return executors;
}

std::shared_ptr<Executor> make_session_executor(const SessionOptions& options) { return executors_for(options)[0]; }

}  // namespace cppgen::rt
