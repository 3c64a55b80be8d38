#include "cppgen/support/load_meter.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <thread>

#include "cppgen/support/file_io.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

double seconds_of(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; }

double rusage_seconds(int who) {
  rusage usage{};
  return getrusage(who, &usage) == 0 ? seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) : 0;
}

// "cpu0 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...": all but the fourth and the fifth, in ticks.
double busy_ticks(std::istringstream& fields) {
  double sum = 0, value = 0;
  for (int i = 0; i < 8 && fields >> value; i++)
    if (i != 3 && i != 4) sum += value;
  return sum;
}

// Adds what the CPUs of the affinity mask did. False if the file does not list them.
bool read_cpus(CpuUse& use) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return false;
  std::istringstream lines(try_read_file("/proc/stat").value_or(""));
  const double tick = 1.0 / double(std::max<long>(sysconf(_SC_CLK_TCK), 1));
  use.cpus = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (!name.starts_with("cpu") || name.size() == 3) continue;
    const int cpu = std::atoi(name.c_str() + 3);
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mask)) continue;
    use.cpus++, use.all += busy_ticks(fields) * tick;
  }
  return use.cpus > 0 && use.all > 0;
}

// The second number of each thread's schedstat, in nanoseconds.
double waited_seconds() {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  double sum = 0;
  for (const dirent* entry = nullptr; tasks && (entry = readdir(tasks.get()));) {
    const std::string text = try_read_file("/proc/self/task/" + std::string(entry->d_name) + "/schedstat").value_or("");
    double ran = 0, waited = 0;
    if (std::istringstream(text) >> ran >> waited) sum += waited / 1e9;
  }
  return sum;
}

}  // namespace

std::optional<CpuUse> cpu_use() {
  CpuUse use;
  use.at = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (!read_cpus(use)) return std::nullopt;
  use.own = rusage_seconds(RUSAGE_SELF) + rusage_seconds(RUSAGE_CHILDREN);
  use.waited = waited_seconds();
  return use;
}

double share_of_others(const CpuUse& begin, const CpuUse& end, int threads) {
  constexpr double kResolution = 0.02;  // of each CPU's counters, in seconds: two ticks
  const double wall = end.at - begin.at, cpus = std::max(end.cpus, 1);
  if (wall <= 0 || threads <= 0) return 0;
  const double needed = std::min<double>(threads, cpus);
  const double others = std::max((end.all - begin.all) - (end.own - begin.own), 0.0);
  // The load that does not fit beside the measuring threads, which may have had less than they needed.
  const double displaced = others - kResolution * cpus - (cpus - needed) * wall;
  // Threads of this process may also wait for each other.
  const double waited = std::min(end.waited - begin.waited, others);
  return std::clamp(std::max(displaced, waited) / (needed * wall), 0.0, 1.0);
}

bool LoadRule::repeats(const Load& load, int attempt) const {
  if (!load.busy()) return false;
  const bool last = attempt >= attempts;
  log_warning(
      "other programs took {:.0f}% of the CPU time of what is measured: {}", 100 * load.share,
      last ? std::string("the result is marked") : fmt::format("measuring again ({} of {})", attempt + 1, attempts));
  return !last;
}

LoadMeter::LoadMeter(const LoadRule& rule) : rule_(rule) {
  if (rule_.source) begin_ = rule_.source();
}

Load LoadMeter::load() const {
  const auto end = begin_ ? rule_.source() : std::nullopt;
  return {end ? share_of_others(*begin_, *end, rule_.threads) : 0};
}

bool is_machine_busy(const LoadRule& rule) {
  constexpr std::chrono::milliseconds kMoment(300);
  const LoadMeter meter(rule);
  if (rule.source) std::this_thread::sleep_for(kMoment);
  return meter.load().busy();
}

}  // namespace cppgen
