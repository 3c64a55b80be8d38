#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cppgen/support/interrupt.h"
#include "cppgen/tune/regions.h"
#include "runtime/base/settings.h"

namespace cppgen::tune {

// Says what a package did instead of giving its result: "was killed by signal 11 (Segmentation fault)".
struct PackageFailed : std::runtime_error {
  explicit PackageFailed(const std::string& what, bool interrupted = false)
      : std::runtime_error(what), interrupted(interrupted) {}
  bool interrupted;  // by something else (support/interruption.h): it says nothing about the package
};

struct PackageTimes {
  double run_ms = 0;  // median, with the cost of the profile
  std::vector<StepTime> steps;
};

// Runs packages in child processes, with a program (cppgen), the environment and the settings of a run, so that the
// process that tunes survives them. A child has AUTOTUNE_RESULT_TIMEOUT_SECONDS. All functions throw PackageFailed if
// it crashes, hangs or fails, and Cancelled.
class PackageRuns {
 public:
  // `dims`: --dim NAME=N, sizes of dimensions that the packages leave open.
  PackageRuns(std::string program, const Settings&, std::vector<std::string> dims, const CancelToken*);

  PackageTimes times(const std::string& package, int runs) const;
  // The median of runs without a profile.
  double run_ms(const std::string& package, int runs) const;
  // Runs the package once on random inputs and keeps them with the outputs in a folder.
  void record(const std::string& package, const std::string& folder) const;
  // Compares the outputs for these inputs, with the tolerances of `verify`.
  void verify(const std::string& package, const std::string& folder) const;

 private:
  std::string program_;
  std::vector<std::string> options_;
  double timeout_seconds_;
  const CancelToken* cancel_;

  std::string run(const std::string& command, const std::string& package, const std::vector<std::string>& more) const;
  nlohmann::json measured(const std::string& command, const std::string& package, int runs) const;
};

}  // namespace cppgen::tune
