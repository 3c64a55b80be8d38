#include "cppgen/compile/asm_info.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "cppgen/compile/asm_writer.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

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

bool is_vector_spill(std::string_view line) { return is_spill(line) && contains(line, "mm"); }

// The vector spills of innermost loops: those between a label and a jump back to it without another one in between.
class LoopSpills {
 public:
  void add_label(std::string_view name) { labels_.insert_or_assign(std::string(name), Place{line_, spills_}); }
  // Returns how many spills the loop has that ends here.
  int64_t add(std::string_view line) {
    line_++;
    spills_ += is_vector_spill(line);
    if (!line.starts_with('j')) return 0;
    const auto label = labels_.find(std::string(line.substr(line.find_last_of(" \t") + 1)));
    if (label == labels_.end()) return 0;
    const bool innermost = last_jump_back_ <= label->second.line;
    last_jump_back_ = line_;
    return innermost ? spills_ - label->second.spills : 0;
  }

 private:
  struct Place {
    int64_t line, spills;
  };
  std::map<std::string, Place> labels_;
  int64_t line_ = 0, spills_ = 0, last_jump_back_ = 0;
};

bool is_instruction(std::string_view line) { return !line.empty() && line[0] != '.' && line[0] != '#'; }

void write_assembly_file(const std::string& path, const std::string& text) {
  if (const int error = write_file(path, text))
    user_error("ENABLE_ASM_INFO: '{}' cannot be written: {}", path, error_text(error));
}

}  // namespace

std::vector<InstructionCounts> count_instructions(std::string_view assembly,
                                                  const std::vector<std::string>& functions) {
  std::vector<InstructionCounts> counts(functions.size());
  for (size_t i = 0; i < functions.size(); i++) counts[i].kernel = functions[i];
  InstructionCounts* current = nullptr;
  LoopSpills loops;
  std::istringstream lines{std::string(assembly)};
  for (std::string text; std::getline(lines, text);) {
    std::string_view line(text);
    if (!line.empty() && line[0] != '\t' && line[0] != ' ') {
      const std::string_view label = line.substr(0, line.find(':'));
      if (label.starts_with('.')) {
        loops.add_label(label);
        continue;
      }
      loops = {};
      const auto at = std::find(functions.begin(), functions.end(), label);
      current = at == functions.end() ? nullptr : &counts[size_t(at - functions.begin())];
      continue;
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!current || !is_instruction(line)) continue;
    current->instructions++;
    current->vector += is_vector(line);
    current->spills += is_spill(line);
    current->loop_spills += loops.add(line);
  }
  return counts;
}

void write_asm_info(const std::vector<CompileJob>& jobs, const CompileOptions& options, KernelBuilder& builder,
                    const std::string& dir) {
  remove_tree(dir);
  if (const int error = make_directories(dir))
    user_error("ENABLE_ASM_INFO: '{}' cannot be created: {}", dir, error_text(error));
  write_assembly(jobs, options, builder, dir, "ENABLE_ASM_INFO");
  std::string table = "kernel unit instructions vector spills loop_spills\n";
  for (const CompileJob& job : jobs)
    for (const InstructionCounts& k :
         count_instructions(try_read_file(dir + "/" + job.name + ".s").value_or(""), job.expected_symbols))
      table +=
          fmt::format("{} {} {} {} {} {}\n", k.kernel, job.name, k.instructions, k.vector, k.spills, k.loop_spills);
  write_assembly_file(dir + "/kernels.txt", table);
}

}  // namespace cppgen
