#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/plugins/plugin.h"

namespace cppgen::rt {

// The functions that come from plugins. The first call of each loads its library from the folder of this library or
// program, or from the folder `lib` beside that, or from where the system finds libraries; it stays loaded. UserError,
// naming the library and what needs it, if it is missing, cannot be loaded, or is of another build.

std::span<const LibraryFunction> onednn_functions();
std::span<const LibraryFunction> xsmm_functions();

// Returns whether contractions can run by oneDNN; if not, a debug message tells why its plugin cannot be loaded.
bool onednn_is_there();

// The float32 lanes of the vectors that libxsmm uses in this process; 0 if it has no kernels for this CPU, or, which a
// debug message tells, if its plugin cannot be loaded.
int xsmm_lanes();

// Null, and why in `error`, for a pattern that is not a valid regular expression.
std::unique_ptr<const Regex> compile_regex(const std::string& pattern, RegexMatch, std::string& error);

// The file of the plugin that a library or host function of this name needs; empty: none. UserError as above.
std::string plugin_needed_by(std::string_view function);

}  // namespace cppgen::rt
