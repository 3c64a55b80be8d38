#pragma once
#include <string>
#include <string_view>

#include "runtime/host/host_functions.h"

namespace cppgen::rt {

// The function of steps that are custom operators; the text says which one and with what attributes (CustomCall).
inline constexpr std::string_view kCustomFunction = "custom_function";

// Loads the C function that the descriptions at these paths (SessionOptions::custom_operators) name for it. UserError
// if there is none, or it cannot be loaded.
HostFunction custom_host_function(const HostStep&, const std::string& custom_operators);

}  // namespace cppgen::rt
