#pragma once
#include <vector>

#include "cppgen/cli/ready_model.h"
#include "runtime/values/value.h"

namespace cppgen {

// A model that is ready to run, and its inputs in the order of the model.
struct ReadyRun {
  ReadyModel model;
  std::vector<rt::Value> inputs;
};

// Opens the model and makes its inputs: those of --input, the others random. Inputs that do not match are an error
// before any kernel is compiled; the time that they take is not part of the model's. UserError as make_values and
// open_model.
ReadyRun open_run(const InputOptions&, const Settings&, const CancelToken&, const rt::ChunkListener& = {});

}  // namespace cppgen
