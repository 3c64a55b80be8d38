#include "cppgen/compile/compile_flags.h"

#include <algorithm>

#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

// 0 and 1 are the spellings of TorchInductor: 1 leaves the compiler its default.
std::string contraction(const std::string& setting) {
  if (setting == "0") return "off";
  return setting == "1" ? "fast" : setting;
}

std::vector<std::string> debug_flags(const std::string& level) {
  if (level == "0") return {};
  if (level == "1") return {"-g1"};
  if (level == "2") return {"-g", "-O0"};
  return setting_values::split(level, ' ');  // none of those that are allowed contains a blank
}

}  // namespace

std::vector<std::string> kernel_flags(const CompileOptions& options, const std::vector<std::string>& isa_flags,
                                      const std::vector<std::string>& flags_of_unit) {
  std::vector<std::string> flags = {
      "-std=gnu++20", "-fPIC", "-shared",
      // IEEE semantics stay; errno and floating-point traps are not part of them.
      "-fno-math-errno", "-fno-trapping-math",
      // A fused multiply-add is written where the schedule means one.
      "-ffp-contract=" + contraction(options.enable_floating_point_contract_flag), "-fvisibility=hidden",
      "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables",
      // Distributions turn these on by default; both would need symbols that the object has no library for.
      "-fno-stack-protector", "-U_FORTIFY_SOURCE",
      // Emitted code is checked by tests; a user cannot act on a warning about it.
      "-w"};
  flags.push_back(options.compiler_opt);
  // Loops with unrolled epilogues have so many addresses that choosing induction variables for them takes an eighth of
  // all time, and gains nothing.
  flags.push_back("--param=iv-max-considered-uses=24");
  // Start files are left out: g++ would link one that turns denormals off in the whole process.
  if (options.enable_unsafe_math_opt_flag) flags.insert(flags.end(), {"-funsafe-math-optimizations", "-nostartfiles"});
  const std::vector<std::string> debug = debug_flags(options.debug_level);
  for (const std::vector<std::string>* more : {&isa_flags, &debug, &flags_of_unit, &options.extra_flags})
    flags.insert(flags.end(), more->begin(), more->end());
  // Kernels contain only those functions of the archive of tiles that they call.
  flags.push_back("-Wl,--gc-sections");
  if (!is_instrumented(flags)) flags.push_back("-nostdlib");
  return flags;
}

std::vector<std::string> without_linker_flags(const std::vector<std::string>& flags) {
  std::vector<std::string> rest = flags;
  std::erase_if(rest, [](const std::string& flag) {
    return flag == "-shared" || flag == "-nostdlib" || flag == "-nostartfiles" || flag.starts_with("-Wl,");
  });
  return rest;
}

bool is_instrumented(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.starts_with("-fsanitize=") || flag == "--coverage" || flag == "-pg";
  });
}

const std::vector<std::string>& allowed_undefined_symbols() {
  static const std::vector<std::string> symbols = {"memcmp", "memcpy", "memmove", "memset"};
  return symbols;
}

}  // namespace cppgen
