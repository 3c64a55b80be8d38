#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/ready_model.h"
#include "runtime/base/errors.h"
#include "runtime/session/nan_asserts.h"
#include "runtime/values/value.h"

namespace cppgen {

// A model that is ready to run, and its inputs in the order of the model.
struct ReadyRun {
  ReadyModel model;
  std::vector<rt::Value> inputs;
  std::vector<std::string> random_integers;  // names of inputs, whose random values may not suit the model
};

// Opens the model and makes its inputs: those of --input, the others random. Inputs that do not match are an error
// before any kernel is compiled; the time that they take is not part of the model's. UserError as make_values and
// open_model.
ReadyRun open_run(const InputOptions&, const Settings&, const CancelToken&, const rt::ChunkListener& = {});

// Throws the error again; if there are random integers, which may have caused it, the message says so.
[[noreturn]] void rethrow_of_run(const ReadyRun&, const UserError&);

// Calls f, which runs the model.
template <class F>
auto with_hint_on_inputs(const ReadyRun& run, const F& f) {
  try {
    return f();
  } catch (const rt::NotFinite&) {  // floating-point values caused it
    throw;
  } catch (const UserError& error) {
    rethrow_of_run(run, error);
  }
}

}  // namespace cppgen
