#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {

// The fault of a model. A trial that lacked time or memory, or that was killed from outside, shows none of these
// (Outcome::undecided). crash: the compiler ends abnormally, or a run ends with an error, abnormally or not at
// all. compile: the compiler of kernels refuses them. differs: results differ from the expected ones. slow: a kernel
// takes more than twice its bound.
enum class Fault { none, crash, compile, differs, slow };
std::string_view name_of(Fault);

struct Outcome {
  Fault fault = Fault::none;
  std::string kind;   // two faults are the same if this is equal
  std::string text;   // for people; without a fault, why the model could not be run, or ""
  double factor = 0;  // of a slow kernel: its time divided by its bound
  double seconds = 0;
  double run_seconds = 0;  // of a run that did not end
  bool undecided = false;  // the trial proves nothing, neither a fault nor its absence; `text` says why
};

using Overrides = std::vector<std::pair<std::string, std::string>>;  // settings

// Runs models in processes of their own, which may crash or hang.
class Trials {
 public:
  Trials(const MinifyOptions& options, const CancelToken& cancel, std::string folder)
      : options_(options), cancel_(cancel), folder_(std::move(folder)) {}

  struct Limits {
    double seconds;       // of the whole trial
    double hang_seconds;  // a run that takes longer does not end; one that is stopped earlier proves nothing
  };
  // The model of a folder, with its data; again if something outside ended it. Throws Cancelled.
  Outcome run(const std::string& folder, const Overrides&, bool measure, const Limits&);

  // The inputs and sizes of a run, in the form of options.
  struct Inputs {
    std::vector<std::string> files, dims;
  };
  // Writes all values of a model (model_values.h) to a folder. "" or why it failed.
  std::string write_values(const std::string& model, const std::string& folder, const Inputs&, const Overrides&,
                           bool types, double limit_seconds);
  int count() const { return count_; }

 private:
  std::vector<std::string> command(const std::string& model, const Overrides&) const;
  Outcome run_once(const std::string& folder, const Overrides&, bool measure, const Limits&);

  const MinifyOptions& options_;
  const CancelToken& cancel_;
  std::string folder_;  // temporary
  int count_ = 0;
};

}  // namespace cppgen
