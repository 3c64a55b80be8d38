#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "tests/run_time_sizes/maker.h"

namespace cppgen::sizes {

// A model of up to `steps` steps, the same for the same seed, and how its values come about; fewer steps are a prefix.
std::unique_ptr<Maker> random_model(uint64_t seed, int steps);

struct Verdict {
  enum What : uint8_t { agrees, refused, failed } what = agrees;
  std::string text;
};

// Runs the model on the interpreter and, if asked, compiled, and compares with exact arithmetic. Both must refuse the
// same runs.
Verdict try_model(const Maker&, bool compiled);

// Returns the fewest steps that fail the same way, to be printed; the model is written to this file if it is not empty.
std::string report(uint64_t seed, int steps, bool compiled, const std::string& file);

}  // namespace cppgen::sizes
