#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/import/model_cutter.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"

namespace cppgen {

// A folder with the inputs of a model and what its nodes compute for them, in the form that `verify` reads, and the
// types of the tensors.

// Runs a model whose outputs are all its values on the interpreter. Writes options.values. UserError if that fails.
void write_reference_values(const TrialOptions&, const Settings&, const CancelToken&);
// If the interpreter cannot run, infers the types of the values only; their elements are random, and no results are
// expected.
void write_random_values(const TrialOptions&, const Settings&, const CancelToken&);

// Returns whether results are expected of the model in this folder.
bool holds_results(const std::string& folder);

// Reads such a folder. UserError if it cannot be read.
class ModelValues {
 public:
  explicit ModelValues(std::string folder);

  const KnownValues& known() const { return known_; }
  bool has_results() const { return results_; }
  std::string file_of(const std::string& name) const;  // of a tensor, in the folder; "" for other values
  const std::string& folder() const { return folder_; }
  // Writes the values of the inputs and outputs of a cut to a folder; elements are shared with this one if possible.
  void write(const CutModel&, const std::string& folder) const;

 private:
  std::string folder_;
  bool results_ = false;
  KnownValues known_;
  std::map<std::string, std::string> entries_;  // of io.json, by name
};

}  // namespace cppgen
