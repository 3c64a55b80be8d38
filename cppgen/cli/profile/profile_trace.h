#pragma once
#include <string>

namespace cppgen {

struct ModelProfile;

// The compilation, the load and the recorded runs in Chrome's Trace Event Format.
std::string profile_trace(const ModelProfile&);

}  // namespace cppgen
