#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/shared/pass_text.h"
#include "cppgen/flow/trace/trace_record.h"

namespace cppgen {

// The result of repeating a trace.
struct Reproduction {
  std::vector<std::string> surroundings;  // how this machine differs from the one of the trace
  size_t kernels = 0;
  std::vector<std::string> changed;  // sources of kernels and plans
  std::string compile_error;         // with which the compilation ended here
  bool has_run = false;              // the run was repeated
  bool has_outputs = false;          // the trace has results
  std::string run_error;             // with which the run ended here
  bool same_bits = false;
  std::string difference;  // of results, beyond rounding
  std::optional<PassText> text;
};

// Tells whether the same sources were written, and whether the compilation and the run ended in the same way: with the
// same bits, or with the same error.
bool is_same(const Reproduction&, const TraceRecord&);

std::string repro_text(const Reproduction&, const TraceRecord&);
std::string repro_json(const Reproduction&, const TraceRecord&);

}  // namespace cppgen
