#pragma once
#include <string>

#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule_text {

// The target of an instruction set, whose caches are not known. UserError if there is no such set.
schedule::Target usual_target(const std::string& isa);

// The name of an engine of the list, followed by `#2` if it is the second of this name. Null if there is no such
// engine.
std::string engine_name(const schedule::Engine&);
const schedule::Engine* engine_named(const std::string&);

// The constants that differ, in the format of TUNING, which schedule::tuned reads; empty if all are equal.
std::string tuning_differences(const schedule::Tuning& usual, const schedule::Tuning&);

}  // namespace cppgen::schedule_text
