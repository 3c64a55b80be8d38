#include "cppgen/compile/compile_pool.h"

#include <algorithm>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/elf_file.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/log.h"

namespace cppgen {

struct CompilePool::Unit {
  size_t id;
  std::string name;
  std::string folder;
  std::string log_name;
  std::vector<std::string> expected_symbols;
  std::vector<std::string> command;
  bool may_need_libraries;
};

namespace {

constexpr const char* kPrefix = "cppgen-kernels-";
constexpr const char* kObject = "kernel.so";
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
            {},
            is_instrumented(flags)};
  if (const int error = make_directories(unit.folder)) {
    user_error("cannot make '{}': {}", unit.folder, error_text(error));
  }
  write_or_throw(unit.folder + "/" + kSource, job.source);
  unit.command = toolchain_.command;
  unit.command.insert(unit.command.end(), flags.begin(), flags.end());
  for (const std::string& word :
       {std::string("-I") + include_dir, std::string("-o"), std::string(kObject), std::string(kSource)}) {
    unit.command.push_back(word);
  }
  ProcessSpec spec;
  spec.argv = unit.command;
  spec.working_directory = unit.folder;
  spec.timeout_seconds = limits_.timeout_seconds;
  // The compiler's temporary files vanish with the folder even when it is killed. The variables unset would add
  // headers, libraries or output files that the key does not know of.
  spec.environment = {{"TMPDIR", unit.folder}, {"LC_ALL", "C"}};
  for (const char* name :
       {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"}) {
    spec.environment.emplace_back(name, std::nullopt);
  }
  const int process = runner_.start(spec);
  running_.emplace(process, std::move(unit));
}

std::optional<CompilePool::Finished> CompilePool::wait(double seconds) {
  auto completion = runner_.wait_any(seconds);
  if (!completion) return std::nullopt;
  auto node = running_.extract(completion->id);
  check(!node.empty(), "CompilePool: a process of another pool ended");
  const Unit& unit = node.mapped();
  Finished finished;
  finished.id = unit.id;
  finished.seconds = completion->result.seconds;
  finished.command = unit.command;
  finished.output = completion->result.output;
  write_logs(unit, completion->result);
  if (completion->result.ok()) {
    check_object(unit, finished);
  } else {
    diagnose(unit, completion->result, finished);
  }
  if (finished.error && !completion->result.output.empty()) {
    finished.message += "\n  output:\n" + first_lines(completion->result.output, kMessageLines);
  }
  return finished;
}

void CompilePool::diagnose(const Unit& unit, const ProcessResult& result, Finished& finished) const {
  finished.message = fmt::format("the compiler of kernel unit '{}' {}", unit.name, result.describe());
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

void CompilePool::write_logs(const Unit& unit, const ProcessResult& result) const {
  const std::string text = fmt::format("{}\n{}\n{} ({:.3f} s)\n", join_command(unit.command), result.output,
                                       result.describe(), result.seconds);
  for (const std::string& folder : limits_.log_dirs) {
    const std::string path = folder + "/" + unit.log_name + ".log";
    int error = make_directories(folder);
    if (!error) error = write_file(path, text);
    if (error) log_warning("cannot write the compiler log '{}': {}", path, error_text(error));
  }
}

}  // namespace cppgen
