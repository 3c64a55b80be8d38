#include "cppgen/compile/asm_writer.h"

#include <algorithm>
#include <map>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {
constexpr double kAssemblyPollSeconds = 0.1;

// The command that writes NAME.s and the report. Only g++ writes the report to a file; clang prints it.
ProcessSpec command(const CompileJob& job, const std::string& dir, const KernelBuilder::Command& c, bool is_clang) {
  ProcessSpec spec;
  spec.argv = c.compiler;
  const std::vector<std::string> flags = without_linker_flags(c.flags);
  spec.argv.insert(spec.argv.end(), flags.begin(), flags.end());
  if (is_clang)
    for (const char* flag : {"-Rpass=vectorize", "-Rpass-missed=vectorize"}) spec.argv.emplace_back(flag);
  else
    spec.argv.push_back("-fopt-info-vec-optimized-missed=" + job.name + ".vectors.txt");
  for (const std::string& word :
       {"-I" + c.include_dir, std::string("-S"), std::string("-o"), job.name + ".s", job.name + ".cpp"})
    spec.argv.push_back(word);
  spec.working_directory = dir;
  spec.environment = {{"LC_ALL", "C"}};
  return spec;
}

// Several compilers at once.
class AsmWriter {
 public:
  AsmWriter(const std::vector<CompileJob>& jobs, const CompileOptions& options, KernelBuilder& builder, std::string dir,
            std::string what)
      : jobs_(jobs), options_(options), builder_(builder), dir_(std::move(dir)), what_(std::move(what)) {}

  void run() {
    const auto most = size_t(std::max<int64_t>(options_.compile_threads, 1));
    size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      if (options_.cancel && options_.cancel->cancelled()) throw Cancelled("compilation was cancelled");
      for (; next < jobs_.size() && running_.size() < most; next++) start(next, false);
      if (const auto completion = builder_.runner().wait_any(kAssemblyPollSeconds)) finish(*completion);
    }
  }

 private:
  struct Running {
    size_t job;
    bool is_clang;
  };
  const std::vector<CompileJob>& jobs_;
  const CompileOptions& options_;
  KernelBuilder& builder_;
  const std::string dir_, what_;
  std::map<int, Running> running_;

  void write(const std::string& path, const std::string& text) const {
    if (const int error = write_file(path, text))
      user_error("{}: '{}' cannot be written: {}", what_, path, error_text(error));
  }

  void start(size_t index, bool is_clang) {
    const CompileJob& job = jobs_[index];
    write(dir_ + "/" + job.name + ".cpp", job.source);
    ProcessSpec spec = command(job, dir_, builder_.command_of(job), is_clang);
    spec.timeout_seconds = double(options_.compile_timeout_seconds);
    running_[builder_.runner().start(spec)] = {index, is_clang};
  }

  void finish(const ProcessRunner::Completion& ended) {
    const Running unit = running_.extract(ended.id).mapped();
    const CompileJob& job = jobs_[unit.job];
    const ProcessResult& result = ended.result;
    if (!result.ok() && !unit.is_clang && result.output.find("-fopt-info") != std::string::npos)
      return start(unit.job, true);
    if (!result.ok())
      return log_warning("{}: the compiler of kernel unit '{}' {}: {}", what_, job.name, result.describe(),
                         result.output.substr(0, result.output.find('\n')));
    if (unit.is_clang) write(dir_ + "/" + job.name + ".vectors.txt", result.output);
  }
};

// Labels and instructions of a function, without the assembler's directives.
bool is_shown(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != line.npos && (first == 0 || (line[first] != '.' && line[first] != '#'));
}

// Adds the functions of a unit, which begin with their label and end with their size.
void add_functions(std::map<std::string, std::string>& all, std::string_view assembly) {
  std::string* current = nullptr;
  while (!assembly.empty()) {
    const std::string_view line = assembly.substr(0, assembly.find('\n'));
    assembly.remove_prefix(std::min(line.size() + 1, assembly.size()));
    if (!line.empty() && line[0] != '\t' && line[0] != ' ' && line[0] != '.' && line[0] != '#' && line.ends_with(':'))
      current = &all[std::string(line.substr(0, line.size() - 1))];
    if (line.starts_with("\t.size")) current = nullptr;
    if (current && is_shown(line)) *current += std::string(line) + "\n";
  }
}

}  // namespace

void write_assembly(const std::vector<CompileJob>& jobs, const CompileOptions& options, KernelBuilder& builder,
                    const std::string& dir, const std::string& what) {
  AsmWriter(jobs, options, builder, dir, what).run();
}

std::map<std::string, std::string> assembly_of(const std::vector<CompileJob>& jobs, const CompileOptions& options,
                                               KernelBuilder& builder) {
  constexpr const char* kPrefix = "cppgen-assembly.";
  remove_stale_temp_directories(system_temp_directory(), kPrefix);  // of killed processes
  const TempDirectory folder(system_temp_directory(), kPrefix);
  write_assembly(jobs, options, builder, folder.path(), "assembly");
  std::map<std::string, std::string> functions;
  for (const CompileJob& job : jobs)
    add_functions(functions, try_read_file(folder.path() + "/" + job.name + ".s").value_or(""));
  return functions;
}

}  // namespace cppgen
