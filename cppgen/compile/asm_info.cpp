#include "cppgen/compile/asm_info.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

constexpr double kPollSeconds = 0.1;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The name in front of the blank, without a prefix v of AVX.
std::string_view mnemonic(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  return word.starts_with('v') ? word.substr(1) : word;
}

// Integer instructions on all lanes begin with p, those on floats end in ps or pd. The popcount, push and pop of
// general registers name no vector register.
bool is_vector(std::string_view line) {
  if (contains(line, "%ymm") || contains(line, "%zmm")) return true;
  const std::string_view name = mnemonic(line);
  return contains(line, "%xmm") && (name.ends_with("ps") || name.ends_with("pd") || name.starts_with('p'));
}

// A move of a register to a place on the stack, in AT&T's order of operands.
bool is_spill(std::string_view line) {
  const size_t comma = line.rfind(", ");
  if (!mnemonic(line).starts_with("mov") || comma == line.npos) return false;
  const std::string_view to = line.substr(comma);
  const std::string_view from = line.substr(0, comma);
  const bool to_stack = contains(to, "(%rsp)") || contains(to, "(%rbp)");
  return to_stack && contains(from, "%") && !contains(from, "(");
}

bool is_instruction(std::string_view line) { return !line.empty() && line[0] != '.' && line[0] != '#'; }

void write(const std::string& path, const std::string& text) {
  if (const int error = write_file(path, text))
    user_error("ENABLE_ASM_INFO: '{}' cannot be written: {}", path, error_text(error));
}

// The command that writes NAME.s and the report. Only g++ writes the report to a file; clang prints it.
ProcessSpec command(const CompileJob& job, const std::string& dir, const KernelBuilder::Command& c, bool is_clang) {
  ProcessSpec spec;
  spec.argv = c.compiler;
  for (const std::string& flag : c.flags)
    if (flag != "-shared" && flag != "-nostdlib" && flag != "-nostartfiles") spec.argv.push_back(flag);
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
  AsmWriter(const std::vector<CompileJob>& jobs, const CompileOptions& options, KernelBuilder& builder, std::string dir)
      : jobs_(jobs), options_(options), builder_(builder), dir_(std::move(dir)) {}

  void run() {
    const auto most = size_t(std::max<int64_t>(options_.compile_threads, 1));
    size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      if (options_.cancel && options_.cancel->cancelled()) throw Cancelled("compilation was cancelled");
      for (; next < jobs_.size() && running_.size() < most; next++) start(next, false);
      if (const auto completion = builder_.runner().wait_any(kPollSeconds)) finish(*completion);
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
  const std::string dir_;
  std::map<int, Running> running_;

  void start(size_t index, bool is_clang) {
    const CompileJob& job = jobs_[index];
    write(dir_ + "/" + job.name + ".cpp", job.source);
    ProcessSpec spec = command(job, dir_, builder_.command_of(job), is_clang);
    spec.timeout_seconds = options_.timeout_seconds;
    running_[builder_.runner().start(spec)] = {index, is_clang};
  }

  void finish(const ProcessRunner::Completion& ended) {
    const Running unit = running_.extract(ended.id).mapped();
    const CompileJob& job = jobs_[unit.job];
    const ProcessResult& result = ended.result;
    if (!result.ok() && !unit.is_clang && contains(result.output, "-fopt-info")) return start(unit.job, true);
    if (!result.ok())
      return log_warning("ENABLE_ASM_INFO: the compiler of kernel unit '{}' {}: {}", job.name, result.describe(),
                         result.output.substr(0, result.output.find('\n')));
    if (unit.is_clang) write(dir_ + "/" + job.name + ".vectors.txt", result.output);
  }
};

}  // namespace

std::vector<InstructionCounts> count_instructions(std::string_view assembly,
                                                  const std::vector<std::string>& functions) {
  std::vector<InstructionCounts> counts(functions.size());
  for (size_t i = 0; i < functions.size(); i++) counts[i].kernel = functions[i];
  InstructionCounts* current = nullptr;
  std::istringstream lines{std::string(assembly)};
  for (std::string text; std::getline(lines, text);) {
    std::string_view line(text);
    if (!line.empty() && line[0] != '\t' && line[0] != ' ') {
      const std::string_view label = line.substr(0, line.find(':'));
      if (label.starts_with('.')) continue;
      const auto at = std::find(functions.begin(), functions.end(), label);
      current = at == functions.end() ? nullptr : &counts[size_t(at - functions.begin())];
      continue;
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!current || !is_instruction(line)) continue;
    current->instructions++;
    current->vector += is_vector(line);
    current->spills += is_spill(line);
  }
  return counts;
}

void write_asm_info(const std::vector<CompileJob>& jobs, const CompileOptions& options, KernelBuilder& builder,
                    const std::string& dir) {
  remove_tree(dir);
  if (const int error = make_directories(dir))
    user_error("ENABLE_ASM_INFO: '{}' cannot be created: {}", dir, error_text(error));
  AsmWriter(jobs, options, builder, dir).run();
  std::string table = "kernel unit instructions vector spills\n";
  for (const CompileJob& job : jobs)
    for (const InstructionCounts& k :
         count_instructions(try_read_file(dir + "/" + job.name + ".s").value_or(""), job.expected_symbols))
      table += fmt::format("{} {} {} {} {}\n", k.kernel, job.name, k.instructions, k.vector, k.spills);
  write(dir + "/kernels.txt", table);
}

}  // namespace cppgen
