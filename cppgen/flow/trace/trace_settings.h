#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cppgen/flow/trace/trace_record.h"

namespace cppgen {

// Returns whether a trace records a setting: only those with influence on kernels or results, and of these none whose
// text may name a program, a file, a server or options of a linker. Such settings are always those of the machine that
// repeats the trace.
bool is_traced_setting(std::string_view name);

// The settings of a trace, which may come from anywhere, as pairs for Settings::set. UserError if it has a setting that
// traces do not record, or a value that is not allowed. A value that would switch off a check on which the safety of
// this process depends, or permit more memory than `most_memory`, is left out with a warning.
std::vector<std::pair<std::string, std::string>> settings_of_trace(const TraceRecord&, int64_t most_memory);

}  // namespace cppgen
