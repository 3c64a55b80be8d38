#include "cppgen/compile/compile_pool.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/elf_file.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/interruption.h"
#include "runtime/base/log.h"

namespace cppgen {

struct CompilePool::Unit {
  size_t id;
  std::string name;
  std::string folder;
  std::string log_name;
  std::vector<std::string> expected_symbols;
  bool may_need_libraries;
  std::vector<std::string> command;  // builds it without launchers
  std::vector<std::string> link;     // what is left to do when the process that runs has ended
  std::vector<std::string> running;
  double seconds = 0;  // of the processes that have ended
  std::string output, log;
};

namespace {

constexpr const char* kPrefix = "cppgen-kernels-";
constexpr const char* kObject = "kernel.so";
constexpr const char* kObjectFile = "kernel.o";
constexpr const char* kIncludeLink = "include";
constexpr double kLeastSeconds = 0.01;  // 0 would be no limit
constexpr int kMessageLines = 20;

std::string first_lines(const std::string& text, int count) {
  size_t end = 0;
  for (int line = 0; line < count && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  std::string result;
  for (size_t i = 0; i < end; ++i) {
    if (i == 0 || text[i - 1] == '\n') result += "    ";
    result += text[i];
  }
  if (end < text.size()) result += "    ...\n";
  return result;
}

void write_or_throw(const std::string& path, const std::string& content) {
  if (const int error = write_file(path, content)) user_error("cannot write '{}': {}", path, error_text(error));
}

std::vector<std::string> with_words(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Behind the source, because linkers take from an archive what has been asked for before.
std::vector<std::string> tiles_words(const std::string& include_dir) {
  const std::optional<std::string> tiles = VecHeaders::tiles_in(include_dir);
  return tiles ? std::vector{*tiles} : std::vector<std::string>();
}

std::string missing_from(const std::vector<std::string>& wanted, const std::vector<std::string>& sorted) {
  for (const std::string& name : wanted) {
    if (!std::binary_search(sorted.begin(), sorted.end(), name)) return name;
  }
  return "";
}

}  // namespace

CompilePool::CompilePool(ProcessRunner& runner, Toolchain toolchain, Limits limits)
    : runner_(runner), toolchain_(std::move(toolchain)), limits_(std::move(limits)) {
  check(limits_.processes >= 1, "CompilePool: at least one process is required");
  remove_stale_temp_directories(system_temp_directory(), kPrefix);
}

CompilePool::~CompilePool() { cancel(); }

void CompilePool::cancel() {
  runner_.kill_all();
  running_.clear();
}

void CompilePool::start(size_t id, const CompileJob& job, const std::vector<std::string>& flags,
                        const std::string& include_dir, const std::string& log_name) {
  check(!full(), "CompilePool: full");
  if (!directory_) directory_ = std::make_shared<TempDirectory>(system_temp_directory(), kPrefix);
  Unit unit{id,
            job.name,
            directory_->path() + "/" + std::to_string(next_folder_++),
            log_name,
            job.expected_symbols,
            is_instrumented(flags),
            with_words(toolchain_.command, flags),
            {},
            {},
            0,
            {},
            {}};
  if (const int error = make_directories(unit.folder)) {
    user_error("cannot make '{}': {}", unit.folder, error_text(error));
  }
  write_or_throw(unit.folder + "/" + kSource, job.source);
  const std::vector<std::string> tiles = tiles_words(include_dir);
  if (toolchain_.launched) unit.link = with_words(with_words(unit.command, {"-o", kObject, kObjectFile}), tiles);
  unit.command = with_words(with_words(unit.command, {"-I" + include_dir, "-o", kObject, kSource}), tiles);
  std::vector<std::string> first =
      toolchain_.launched ? launched_command(flags, include_dir, unit.folder) : unit.command;
  start_process(std::move(unit), std::move(first));
}

// Headers are included through a link with the same name everywhere, so that ccache meets the same text in a cache
// directory of another name; debug information needs their real place.
std::vector<std::string> CompilePool::launched_command(const std::vector<std::string>& flags,
                                                       const std::string& include_dir,
                                                       const std::string& folder) const {
  const bool debug = std::any_of(flags.begin(), flags.end(), [](auto& flag) { return flag.starts_with("-g"); });
  const bool linked = !debug && ::symlink(include_dir.c_str(), (folder + "/" + kIncludeLink).c_str()) == 0;
  return with_words(with_words(toolchain_.launched->command, without_linker_flags(flags)),
                    {"-I" + (linked ? kIncludeLink : include_dir), "-c", "-o", kObjectFile, kSource});
}

void CompilePool::start_process(Unit unit, std::vector<std::string> argv) {
  ProcessSpec spec;
  spec.argv = unit.running = std::move(argv);
  spec.working_directory = unit.folder;
  if (limits_.timeout_seconds > 0) {
    spec.timeout_seconds = std::max(limits_.timeout_seconds - unit.seconds, kLeastSeconds);
  }
  spec.environment = compiler_environment(toolchain_, unit.folder);
  const int process = runner_.start(spec);
  running_.emplace(process, std::move(unit));
}

std::optional<CompilePool::Finished> CompilePool::wait(double seconds) {
  auto completion = runner_.wait_any(seconds);
  if (!completion) return std::nullopt;
  auto node = running_.extract(completion->id);
  check(!node.empty(), "CompilePool: a process of another pool ended");
  Unit& unit = node.mapped();
  ProcessResult& result = completion->result;
  unit.log += fmt::format("{}\n{}\n{} ({:.3f} s)\n", join_command(unit.running), result.output, result.describe(),
                          result.seconds);
  unit.output += result.output;
  unit.seconds += result.seconds;
  if (result.ok() && !unit.link.empty()) {
    std::vector<std::string> link = std::exchange(unit.link, {});
    start_process(std::move(unit), std::move(link));
    return std::nullopt;
  }
  result.seconds = unit.seconds;
  Finished finished;
  finished.id = unit.id;
  finished.seconds = unit.seconds;
  finished.command = unit.command;
  finished.output = unit.output;
  write_logs(unit);
  if (result.ok()) {
    check_object(unit, finished);
  } else {
    diagnose(unit, result, finished);
  }
  if (finished.error && !unit.output.empty()) {
    finished.message += "\n  output:\n" + first_lines(unit.output, kMessageLines);
  }
  return finished;
}

void CompilePool::diagnose(const Unit& unit, const ProcessResult& result, Finished& finished) const {
  finished.message = fmt::format("the compiler of kernel unit '{}' {}", unit.name, result.describe());
  if (toolchain_.launched && unit.running[0] == toolchain_.launched->command[0]) {
    finished.message += fmt::format(", started by '{}' (CPPGEN_CXX)", unit.running[0]);
  }
  switch (result.end) {
    case ProcessResult::End::exited:
      finished.error = CompileFailure::failed;
      break;
    case ProcessResult::End::signaled:
      finished.error = CompileFailure::crashed;
      break;
    case ProcessResult::End::timed_out:
      finished.error = CompileFailure::timed_out;
      finished.message +=
          fmt::format(" (the limit is {:.9g} s: CPPGEN_COMPILE_TIMEOUT_SECONDS)", limits_.timeout_seconds);
      break;
  }
  if (was_interrupted(result)) finished.error = CompileFailure::interrupted;
}

void CompilePool::check_object(const Unit& unit, Finished& finished) const {
  using Kind = CompileFailure;
  const auto fail = [&](Kind kind, const std::string& reason) {
    finished.error = kind;
    finished.message = fmt::format("the compiler of kernel unit '{}' reported success, but {}", unit.name, reason);
  };
  finished.path = unit.folder + "/" + kObject;
  auto bytes = try_read_file(finished.path);
  if (!bytes) return fail(Kind::bad_output, "did not write an object");
  std::string why;
  const auto symbols = read_shared_object(*bytes, why);
  if (!symbols) return fail(Kind::bad_output, "its object is unusable: " + why);
  const std::string missing = missing_from(unit.expected_symbols, symbols->defined);
  if (!missing.empty()) return fail(Kind::bad_output, "its object lacks the symbol '" + missing + "'");
  if (!unit.may_need_libraries) {
    const std::string foreign = missing_from(symbols->undefined, allowed_undefined_symbols());
    if (!foreign.empty()) {
      return fail(Kind::undefined_symbols, fmt::format("its object requires '{}'; a kernel may require only {}",
                                                       foreign, fmt::join(allowed_undefined_symbols(), ", ")));
    }
  }
  finished.image = std::move(*bytes);
  finished.keep_alive = directory_;
}

void CompilePool::write_logs(const Unit& unit) const {
  for (const std::string& folder : limits_.log_dirs) {
    const std::string path = folder + "/" + unit.log_name + ".log";
    int error = make_directories(folder);
    if (!error) error = write_file(path, unit.log);
    if (error) log_warning("cannot write the compiler log '{}': {}", path, error_text(error));
  }
}

}  // namespace cppgen
