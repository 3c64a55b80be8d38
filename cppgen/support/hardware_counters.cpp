#include "cppgen/support/hardware_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace cppgen {
namespace {

struct Kind {
  const char* name;
  uint64_t config;
};
constexpr Kind kKinds[] = {{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                           {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                           {"cache references", PERF_COUNT_HW_CACHE_REFERENCES},
                           {"cache misses", PERF_COUNT_HW_CACHE_MISSES},
                           {"branch misses", PERF_COUNT_HW_BRANCH_MISSES}};

// The threads of this process.
std::vector<pid_t> threads() {
  std::vector<pid_t> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error))
    ids.push_back(pid_t(std::stol(entry.path().filename().string())));
  return ids;
}

FileDescriptor open_counter(uint64_t config, pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = config;
  attributes.disabled = 1, attributes.exclude_kernel = 1, attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return FileDescriptor(int(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::string reason_of(int error) {
  std::string text = fmt::format("perf_event_open: {}", error_text(error));
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP) return text + "; this machine shows none";
  const auto level = try_read_file("/proc/sys/kernel/perf_event_paranoid");
  if ((error == EACCES || error == EPERM) && level)
    text += fmt::format("; kernel.perf_event_paranoid is {}, and at most 2 allows it, unless a container forbids it",
                        level->substr(0, level->find('\n')));
  return text;
}

}  // namespace

HardwareCounters::HardwareCounters() {
  const std::vector<pid_t> ids = threads();
  for (const Kind& kind : kKinds) {
    Event event{kind.name, {}};
    for (const pid_t id : ids) {
      FileDescriptor counter = open_counter(kind.config, id);
      const int error = errno;
      if (counter) {
        event.threads.push_back(std::move(counter));
      } else if (error != ESRCH && reason_.empty()) {  // the thread has not just ended
        reason_ = reason_of(error);
      }
    }
    if (!event.threads.empty()) events_.push_back(std::move(event));
  }
}

void HardwareCounters::control(unsigned long request) const {
  for (const Event& event : events_)
    for (const FileDescriptor& counter : event.threads) ioctl(counter.get(), request, 0);
}

void HardwareCounters::start() {
  control(PERF_EVENT_IOC_RESET);
  control(PERF_EVENT_IOC_ENABLE);
}

void HardwareCounters::stop() { control(PERF_EVENT_IOC_DISABLE); }

std::vector<HardwareCounters::Count> HardwareCounters::counts() const {
  std::vector<Count> counts;
  for (const Event& event : events_) {
    Count count{event.name, 0};
    for (const FileDescriptor& counter : event.threads) {
      struct {
        uint64_t value, enabled, running;
      } sample{};
      if (read(counter.get(), &sample, sizeof sample) != ssize_t(sizeof sample) || sample.running == 0) continue;
      count.value += double(sample.value) * double(sample.enabled) / double(sample.running);
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

}  // namespace cppgen
