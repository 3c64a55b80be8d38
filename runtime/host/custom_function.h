#pragma once
#include <string>
#include <string_view>

#include "runtime/host/host_functions.h"

namespace cppgen::rt {

// The name of the host function that runs custom operators; its parameter states which one, and with which attributes
// (CustomCall).
inline constexpr std::string_view kCustomFunction = "custom_function";

// Loads the C function that the descriptions at these paths (SessionOptions::custom_ops) name for it. UserError
// if there is none, or it cannot be loaded.
HostFunction custom_host_function(const HostStep&, const std::string& custom_operators);

}  // namespace cppgen::rt
