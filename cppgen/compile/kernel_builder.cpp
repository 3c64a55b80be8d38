#include "cppgen/compile/kernel_builder.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "cppgen/compile/blame.h"
#include "cppgen/compile/cache_entry.h"
#include "cppgen/compile/compile_error.h"
#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/compile_pool.h"
#include "cppgen/compile/kept_sources.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/log.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen {

using Clock = std::chrono::steady_clock;

// One job on its way. It is built once it holds the key's lock, or has given up waiting for it.
struct KernelBuilder::Unit {
  size_t index;
  const CompileJob* job;
  KernelKey key;
  std::optional<LockFile> lock;
  bool lock_settled = false;
  std::optional<Clock::time_point> wait_until;
};

struct KernelBuilder::Build {
  std::vector<Unit> units;
  std::deque<Unit*> ready;
  std::vector<Unit*> waiting;  // for another process or thread that builds the same key
  std::vector<CompiledObject> objects;
  int done = 0;
};

namespace {

// A waiting builder looks at locks and at the cancel token this often.
constexpr double kPollSeconds = 0.02;

// Debuggers look for headers where they were.
VecHeaders open_headers(const CompileOptions& options, bool cached) {
  const bool stay = cached || options.debug_level != "0";
  return VecHeaders::choose(options.include_dir, stay ? options.cache_dir : "");
}

std::vector<std::string> log_folders(const CompileOptions& options) {
  std::vector<std::string> folders = options.log_dirs;
  if (!options.worker_log_path.empty()) folders.push_back(options.worker_log_path);
  return folders;
}

}  // namespace

KernelBuilder::KernelBuilder(CompileOptions options, ProcessRunner* runner)
    : options_(std::move(options)),
      own_runner_(runner ? nullptr : std::make_unique<PosixProcessRunner>()),
      runner_(runner ? *runner : *own_runner_),
      toolchain_(Toolchain::find(options_.cxx)),
      caches_(options_),
      headers_(open_headers(options_, caches_.own() != nullptr)) {
  if (options_.compile_threads <= 0) options_.compile_threads = std::min(32, usable_cpus());
}

KernelBuilder::~KernelBuilder() = default;

std::vector<std::string> KernelBuilder::flags_of(const CompileJob& job) const {
  std::vector<std::string> of_unit = job.extra_flags;
  const std::vector<std::string> of_source = source_flags(job, options_);
  of_unit.insert(of_unit.end(), of_source.begin(), of_source.end());
  return kernel_flags(options_, job.isa_flags, of_unit);
}

KernelKey KernelBuilder::key_of(const CompileJob& job) const {
  return make_kernel_key(job, flags_of(job), toolchain_.identity_of_command(), headers_.hash(), options_.abi_version);
}

void KernelBuilder::finish(Build& build, Unit& unit, CompiledObject object) {
  object.name = unit.job->name;
  object.key = unit.key.hex;
  build.objects[unit.index] = std::move(object);
  unit.lock.reset();
  ++build.done;
  if (options_.on_progress) options_.on_progress(build.done, static_cast<int>(build.objects.size()));
}

bool KernelBuilder::take_from_cache(Build& build, Unit& unit, bool first_look) {
  auto entry = caches_.find(unit.key, unit.job->name, first_look);
  if (!entry) return false;
  CompiledObject object;
  object.path = std::move(entry->path);
  object.keep_alive = std::move(entry->pin);
  object.from_cache = true;
  finish(build, unit, std::move(object));
  return true;
}

// False while another process holds the key's lock and there is time left to wait.
bool KernelBuilder::obtain_lock(Unit& unit) {
  if (!cache() || unit.lock_settled) return true;
  LockFile::Attempt attempt = cache()->try_build_lock(unit.key);
  const Clock::time_point now = Clock::now();
  if (attempt.outcome == LockOutcome::busy) {
    if (!unit.wait_until) {
      unit.wait_until = now + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::seconds(std::max<int64_t>(options_.file_lock_timeout, 0)));
    }
    if (now < *unit.wait_until) return false;
    log_warning(
        "another process has been building kernel unit '{}' for {} s (CPPGEN_FILE_LOCK_TIMEOUT): "
        "building it here, too",
        unit.job->name, options_.file_lock_timeout);
  }
  if (attempt.lock) unit.lock.emplace(std::move(*attempt.lock));
  unit.lock_settled = true;
  return true;
}

void KernelBuilder::revisit_waiting(Build& build) {
  std::erase_if(build.waiting, [&](Unit* unit) {
    if (!obtain_lock(*unit)) return false;
    build.ready.push_front(unit);
    return true;
  });
}

void KernelBuilder::start_ready(Build& build, CompilePool& pool) {
  if (!pool.full()) revisit_waiting(build);
  while (!pool.full() && !build.ready.empty()) {
    Unit& unit = *build.ready.front();
    build.ready.pop_front();
    if (!obtain_lock(unit)) {
      build.waiting.push_back(&unit);
      continue;
    }
    // The previous holder of the lock may have published the entry in the meantime.
    if (take_from_cache(build, unit, false)) continue;
    pool.start(unit.index, *unit.job, flags_of(*unit.job), headers_.path(), unit.key.hex.substr(0, 16));
  }
}

// Returns where the source was kept, or an empty string when no place can be written.
std::string KernelBuilder::keep_source(const Unit& unit) {
  if (cache()) {
    if (auto path = cache()->keep_source(unit.key, unit.job->source)) return *path;
  }
  try {
    TempDirectory folder(system_temp_directory(), "cppgen-kernels-");
    if (write_file(folder.path() + "/kernel.cpp", unit.job->source)) return "";
    return folder.keep_as("cppgen_failed-") + "/kernel.cpp";
  } catch (const UserError&) {
    return "";
  }
}

// The command in the message works when pasted: the kept source, and headers that stay where they are.
void KernelBuilder::fail(const Unit& unit, const CompilePool::Finished& failure) {
  const std::vector<std::string> flags = flags_of(*unit.job);
  const bool ours =
      source_is_to_blame({failure, unit.job->source, toolchain_, flags, headers_.path()}, runner_, options_.cancel);
  const std::string source = keep_source(unit);
  const std::string headers = headers_.path();
  headers_.keep();
  std::vector<std::string> command = failure.command;
  for (std::string& word : command) {
    if (word == CompilePool::kSource && !source.empty()) word = source;
    if (const size_t at = word.find(headers); at != word.npos) word.replace(at, headers.size(), headers_.path());
  }
  const std::string& message = failure.message;
  const size_t output = std::min(message.find('\n'), message.size());
  const std::string text =
      fmt::format("{}{}\n  command: {}\n  source: {}{}", message.substr(0, output),
                  ours ? "; a trivial source builds with the same command, so the emitted source is to blame" : "",
                  join_command(command), source.empty() ? "(it could not be kept)" : source, message.substr(output));
  if (ours) throw RefusedSource(*failure.error, source, text);
  throw CompileError(*failure.error, source, text);
}

void KernelBuilder::collect_one(Build& build, CompilePool& pool) {
  auto finished = pool.wait(kPollSeconds);
  if (!finished) return;
  Unit& unit = build.units[finished->id];
  if (finished->error) {
    pool.cancel();
    fail(unit, *finished);
  }
  CompiledObject object;
  object.path = std::move(finished->path);
  object.keep_alive = std::move(finished->keep_alive);
  object.seconds = finished->seconds;
  object.begin = std::chrono::duration<double>(Clock::now().time_since_epoch()).count() - finished->seconds;
  if (auto entry = caches_.store(unit.key, unit.job->name, finished->image)) {
    object.path = std::move(entry->path);
    object.keep_alive = std::move(entry->pin);
  }
  finish(build, unit, std::move(object));
}

std::vector<CompiledObject> KernelBuilder::build(const std::vector<CompileJob>& jobs) {
  Build build;
  build.objects.resize(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) build.units.push_back({i, &jobs[i], key_of(jobs[i]), {}, false, {}});
  keep_sources(jobs, options_);
  if (options_.on_progress) options_.on_progress(0, static_cast<int>(jobs.size()));
  for (Unit& unit : build.units) {
    if (!take_from_cache(build, unit, true)) build.ready.push_back(&unit);
  }
  if (build.ready.empty()) return std::move(build.objects);
  if (options_.compile_threads > 1) {
    // Longest first: a long unit started last would run alone at the end.
    std::stable_sort(build.ready.begin(), build.ready.end(),
                     [](const Unit* a, const Unit* b) { return a->job->source.size() > b->job->source.size(); });
  }
  CompilePool pool(runner_, toolchain_,
                   {int(options_.compile_threads), double(options_.compile_timeout_seconds), log_folders(options_)});
  while (build.done < static_cast<int>(jobs.size())) {
    if (options_.cancel && options_.cancel->cancelled()) throw Cancelled("compilation was cancelled");
    start_ready(build, pool);
    if (!pool.idle()) {
      collect_one(build, pool);
    } else if (!build.waiting.empty()) {
      std::this_thread::sleep_for(std::chrono::duration<double>(kPollSeconds));
    }
  }
  caches_.finish();
  return std::move(build.objects);
}

std::vector<CompiledObject> build_kernels(const std::vector<CompileJob>& jobs, const CompileOptions& options) {
  return KernelBuilder(options).build(jobs);
}

std::string read_object(const CompiledObject& object) {
  std::string bytes = read_file(object.path);
  if (const auto view = decode_cache_description(bytes)) bytes.resize(view->image.size());
  return bytes;
}

}  // namespace cppgen
