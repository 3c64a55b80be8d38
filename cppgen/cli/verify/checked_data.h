#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/data/data_sets.h"
#include "runtime/values/compare.h"

namespace cppgen {

// The tolerance of `verify`. For io.json, results of a network that computes in 16-bit floats may have their error.
struct Tolerances {
  std::optional<double> rtol, atol;  // --rtol, --atol
  std::optional<double> json_rtol;   // relative to the greatest element of an output
};
Tolerances tolerances_of(const VerifyOptions&);

// A data set, what a model computes for its inputs, compared with its outputs, and the seconds of the run.
struct CheckedData {
  DataSet set;
  rt::VerifyReport report;
  double run_s = 0;
  std::string version;  // of the model that ran, if there are several
};
CheckedData check_data(const ReadyModel&, const DataSet&, const Tolerances&);

// Checked in the same way as after a run: expected tensors may be samples of a result, other values may not.
std::vector<rt::Value> inputs_of(const DataSet&, const rt::Plan&);

std::string text_of(const rt::OutputReport&);  // a line

}  // namespace cppgen
