#include "cppgen/compile/peaks.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/compile/helper_program.h"
#include "cppgen/compile/peaks_program.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/remove_files.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

constexpr const char* kUnderLoad = "under load\n";

// The bytes that one thread accesses: half of its share of a cache, which is also used for other data, but not much
// more than the level before holds; and far more than all caches for memory.
int64_t measured_bytes(const std::vector<MachinePeaks::Level>& levels, size_t i, int threads) {
  const int64_t caches = i == 0 ? 0 : levels[i - 1].bytes;
  if (levels[i].bytes) return std::min(levels[i].bytes / 2, caches ? 4 * caches : levels[i].bytes) / threads;
  return std::clamp<int64_t>(4 * caches, int64_t(128) << 20, int64_t(1) << 30) / threads;
}

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) break;
    numbers.push_back(number);
  }
  return numbers;
}

bool read_numbers(MachinePeaks& peaks, const std::string& text) {
  const std::vector<double> numbers = numbers_in(text);
  const size_t first = peaks.levels.size() + 2, count = first + (peaks.threads > 1 ? 3 : 0);
  if (numbers.size() != count || *std::min_element(numbers.begin(), numbers.end()) <= 0) return false;
  peaks.gflops = numbers[0], peaks.loads_per_ns = numbers[1];
  for (size_t i = 0; i < peaks.levels.size(); i++) peaks.levels[i].gb_per_second = numbers[i + 2];
  if (peaks.threads > 1) {
    peaks.exchange_gb_per_second = numbers[first], peaks.far_exchange_gb_per_second = numbers[first + 1];
    peaks.round_trip_ns = numbers[first + 2];
  }
  return true;
}

// All are rates but the last one of several threads, which is a time. A rate that was reached on a busy machine was
// reached.
void keep_best(std::vector<double>& best, const std::vector<double>& numbers, int threads) {
  if (best.size() != numbers.size()) best = numbers;
  for (size_t i = 0; i < best.size(); i++)
    best[i] = threads > 1 && i + 1 == best.size() ? std::min(best[i], numbers[i]) : std::max(best[i], numbers[i]);
}

// "exited with status 1: OUTPUT"
std::string ending(const ProcessResult& result) {
  return result.describe() + (result.output.empty() ? "" : ": " + result.output);
}

class Measurement {
 public:
  explicit Measurement(const PeaksRequest& request)
      : request_(request), headers_(VecHeaders::embedded(request.cache_dir)) {
    peaks_.levels = cache_levels(request.machine, request.threads);
    peaks_.threads = request.threads, peaks_.lanes = request.isa.lanes;
    program_.name = "peaks", program_.run_seconds = 60;
    program_.run = [this](const std::function<ProcessResult()>& once) { return run_undisturbed(once); };
    program_.source = fmt::format("#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n{}",
                                  request.isa.folder, kPeaksProgram);
    program_.flags = {"-std=gnu++20", "-O3", "-fno-tree-loop-distribute-patterns", "-ffp-contract=off", "-w"};
    program_.flags.insert(program_.flags.end(), request.isa.compiler_flags.begin(), request.isa.compiler_flags.end());
    program_.arguments = {std::to_string(request.threads)};
    for (size_t i = 0; i < peaks_.levels.size(); i++)
      program_.arguments.push_back(std::to_string(measured_bytes(peaks_.levels, i, request.threads)));
    Hasher hasher;
    hasher.field("compiler", request.toolchain.identity).field("command", request.toolchain.command);
    hasher.field("flags", program_.flags).field("source", program_.source).field("headers", headers_.hash());
    key_ = hasher.field("arguments", program_.arguments).field("cpu", cpu_model()).hex();
  }

  std::optional<MachinePeaks> known() {
    if (request_.cache_dir.empty()) return std::nullopt;
    const auto text = try_read_file(path());
    if (!text || !read_numbers(peaks_, *text)) return std::nullopt;
    peaks_.under_load = text->ends_with(kUnderLoad);
    if (peaks_.under_load) best_ = numbers_in(*text);
    return peaks_;
  }

  MachinePeaks measure(ProcessRunner& runner) {
    program_.flags.push_back("-I" + headers_.path());
    const bool in_cache = !request_.cache_dir.empty() && make_directories(request_.cache_dir + "/tmp") == 0 &&
                          make_directories(request_.cache_dir + "/peaks") == 0;
    const HelperRun run = build_and_run(program_, request_.toolchain, runner,
                                        in_cache ? request_.cache_dir + "/tmp" : system_temp_directory());
    if (!run.ran)
      user_error("the program that measures the peaks of this machine was not built: the compiler {}",
                 ending(run.compiled));
    const std::string text = fmt::format("{}\n", fmt::join(best_, "\n"));
    if (!run.ok() || !read_numbers(peaks_, text))
      user_error("the program that measures the peaks of this machine {}", ending(*run.ran));
    // Otherwise they are measured again next time.
    if (in_cache) (void)publish_file(path(), text + (peaks_.under_load ? kUnderLoad : ""));
    return peaks_;
  }

  void forget() { best_.clear(); }

 private:
  const PeaksRequest& request_;
  VecHeaders headers_;
  HelperProgram program_;
  MachinePeaks peaks_;
  std::string key_;
  std::vector<double> best_;  // of all that was measured

  ProcessResult run_undisturbed(const std::function<ProcessResult()>& once) {
    constexpr double kLong = 3;  // seconds, where one is usual: somebody may wait for the peaks with a deadline
    LoadRule rule{.threads = request_.threads, .source = request_.load};
    const auto [ended, load] = least_disturbed(rule, [&] {
      const ProcessResult result = once();
      if (result.seconds > kLong) rule.attempts = 1;
      if (MachinePeaks valid = peaks_; result.ok() && read_numbers(valid, result.output))
        keep_best(best_, numbers_in(result.output), request_.threads);
      return result;
    });
    peaks_.under_load = load.busy();
    return ended;
  }

  std::string path() const { return request_.cache_dir + "/peaks/" + key_; }
};

}  // namespace

std::string cpu_model() {
  const std::string text = try_read_file("/proc/cpuinfo").value_or("");
  const size_t at = text.find("model name");
  if (at == text.npos) return "";
  const size_t end = std::min(text.find('\n', at), text.size());
  const size_t begin = std::min(text.find_first_not_of(": \t", std::min(text.find(':', at), end)), end);
  return text.substr(begin, end - begin);
}

std::vector<MachinePeaks::Level> cache_levels(const MachineDescription& machine, int threads) {
  // Virtual machines report the whole of an L3 that they share: it counts as at most so many times the L2.
  constexpr int64_t kMostOfL3 = 16;
  const auto of_all = [&](int64_t bytes, int cores) { return bytes * ((threads + cores - 1) / std::max(cores, 1)); };
  std::vector<MachinePeaks::Level> levels;
  if (machine.l2_bytes) levels.push_back({"L2", of_all(machine.l2_bytes, machine.l2_cores)});
  const int64_t most = levels.empty() ? INT64_MAX : kMostOfL3 * levels[0].bytes;
  if (machine.l3_bytes) levels.push_back({"L3", std::min(of_all(machine.l3_bytes, machine.l3_cores), most)});
  levels.push_back({"memory", 0});
  return levels;
}

const MachinePeaks::Level& MachinePeaks::level_for(double bytes) const {
  for (const Level& level : levels)
    if (level.bytes == 0 || bytes <= double(level.bytes)) return level;
  return levels.back();
}

std::optional<MachinePeaks> known_peaks(const PeaksRequest& request) { return Measurement(request).known(); }

MachinePeaks machine_peaks(const PeaksRequest& request, ProcessRunner& runner) {
  Measurement measurement(request);
  const auto known = measurement.known();
  if (request.renew) measurement.forget();
  if (!known || request.renew) return measurement.measure(runner);
  if (!known->under_load) return *known;
  if (!is_machine_busy({.threads = request.threads, .source = request.load})) return measurement.measure(runner);
  log_warning("the peaks of this machine were measured while it was busy, as it is now: they may be too low");
  return *known;
}

int64_t clear_peaks(const std::string& cache_dir) { return remove_files(cache_dir + "/peaks"); }

}  // namespace cppgen
