#include "cppgen/cli/command_line/measuring_options.h"

#include <CLI/CLI.hpp>

#include "cppgen/cli/command_line/arguments.h"

namespace cppgen {
namespace {

constexpr const char* kRenew = "--renew";

void add_any_load(CLI::App* command, bool& any_load) {
  command->add_flag(
      "--any-load", any_load,
      "Do not look at what other programs do; by default, what they disturb is measured again, and marked "
      "if they disturb it each time");
}

}  // namespace

void add_timing_limits(CLI::App* command, TimedOptions& options) {
  CLI::Option* runs =
      command->add_option("--runs", options.runs, "Timed runs (default: as many as fit 3 s, from 10 to 1000)")
          ->type_name("N")
          ->check(CLI::Range(int64_t(1), int64_t(1'000'000'000)));
  command->add_option("--seconds", options.seconds, "Time runs for so long instead")
      ->type_name("S")
      ->check(fault_of_seconds)
      ->excludes(runs);
  add_any_load(command, options.any_load);
}

void add_tuning_limits(CLI::App* command, TuneOptions& options) {
  command
      ->add_option("--seconds", options.seconds,
                   "Time after which it ends with the best of what was measured; the same command continues")
      ->type_name("S")
      ->check(fault_of_seconds);
  add_any_load(command, options.any_load);
  command->add_flag(kRenew, options.renew, "Measure again what an earlier tuning has stored");
}

void add_renewed_peaks(CLI::App* command, ProfileOptions& options) {
  command->add_flag(kRenew, options.renew, "Measure the peaks of this machine again");
}

void add_cleared_kinds(CLI::App* command, CacheOptions& options) {
  command
      ->add_option("--kind", options.kinds,
                   "What `clear` removes: kernels, models, peaks (of this machine), profiles or tunings; repeatable "
                   "(default: all but tunings)")
      ->type_name("KIND")
      ->allow_extra_args(false);
}

}  // namespace cppgen
