#include "cppgen/compile/blame.h"

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "cppgen/support/interrupt.h"

namespace cppgen {
namespace {

constexpr double kTrivialSeconds = 60, kBlamePollSeconds = 0.1;

// Compilers run with LC_ALL=C, and report the system's errors in its words.
bool lacks_resources(const std::string& output) {
  std::vector<std::string> signs{"Killed", "out of memory", "virtual memory exhausted"};
  for (const int error : {ENOSPC, EDQUOT, ENOMEM, EROFS, EIO, EMFILE, ENFILE, EACCES, EAGAIN})
    signs.push_back(error_text(error));
  return std::any_of(signs.begin(), signs.end(), [&](auto& sign) { return output.find(sign) != output.npos; });
}

// A function of nothing, after the includes of `source`.
CompileJob trivial_job(const std::string& source) {
  CompileJob job;
  job.name = "trivial";
  job.expected_symbols = {"cppgen_trivial"};
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#include")) job.source += line + "\n";
  job.source += "extern \"C\" __attribute__((visibility(\"default\"))) int cppgen_trivial() { return 0; }\n";
  return job;
}

}  // namespace

bool source_is_to_blame(const FailedUnit& unit, ProcessRunner& runner, const CancelToken* cancel) {
  const CompileFailure kind = *unit.failure.error;
  if (kind == CompileFailure::crashed || kind == CompileFailure::timed_out) return false;
  if (lacks_resources(unit.failure.output)) return false;
  CompilePool pool(runner, unit.toolchain, {1, kTrivialSeconds, {}});
  pool.start(0, trivial_job(unit.source), unit.flags, unit.include_dir, "trivial");
  while (true) {
    if (cancel && cancel->cancelled()) throw Cancelled("compilation was cancelled");
    if (const auto finished = pool.wait(kBlamePollSeconds)) return !finished->error;
  }
}

}  // namespace cppgen
