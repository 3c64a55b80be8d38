#pragma once
#include <string>
#include <vector>

#include "cppgen/package/plan_builder.h"
#include "cppgen/schedule/kernel.h"

namespace cppgen::package {

// Writes weights.bin: constants unchanged, and packed ones in their engine's format, on `threads` threads. The space is
// reserved first, so a full disk is a UserError and not a crash.
void write_weights(const std::string& path, const schedule::Schedule&, const std::vector<WeightPlacement>&,
                   int64_t bytes, int threads);

}  // namespace cppgen::package
