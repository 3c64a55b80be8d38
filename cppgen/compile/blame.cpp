#include "cppgen/compile/blame.h"

#include <sstream>

#include "cppgen/support/interrupt.h"

namespace cppgen {
namespace {

constexpr double kTrivialSeconds = 60, kBlamePollSeconds = 0.1;

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
  for (const auto other : {CompileFailure::crashed, CompileFailure::timed_out, CompileFailure::interrupted})
    if (kind == other) return false;
  CompilePool pool(runner, unit.toolchain, {1, kTrivialSeconds, {}});
  pool.start(0, trivial_job(unit.source), unit.flags, unit.include_dir, "trivial");
  while (true) {
    if (cancel && cancel->cancelled()) throw Cancelled("compilation was cancelled");
    if (const auto finished = pool.wait(kBlamePollSeconds)) return !finished->error;
  }
}

}  // namespace cppgen
