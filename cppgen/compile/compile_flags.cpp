#include "cppgen/compile/compile_flags.h"

#include <algorithm>

namespace cppgen {

std::vector<std::string> kernel_flags(const std::string& opt_level, const std::vector<std::string>& isa_flags,
                                      const std::vector<std::string>& extra_flags) {
  std::vector<std::string> flags = {
      "-std=gnu++20", "-fPIC", "-shared",
      // IEEE semantics stay; errno and floating-point traps are not part of them.
      "-fno-math-errno", "-fno-trapping-math",
      // A fused multiply-add is written where the schedule means one.
      "-ffp-contract=off", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables",
      // Distributions turn these on by default; both would need symbols that the object has no library for.
      "-fno-stack-protector", "-U_FORTIFY_SOURCE",
      // Emitted code is checked by tests; a user cannot act on a warning about it.
      "-w"};
  flags.push_back(opt_level);
  flags.insert(flags.end(), isa_flags.begin(), isa_flags.end());
  flags.insert(flags.end(), extra_flags.begin(), extra_flags.end());
  if (!is_instrumented(flags)) flags.push_back("-nostdlib");
  return flags;
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
