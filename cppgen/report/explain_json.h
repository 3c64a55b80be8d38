#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/explain/explain.h"
#include "runtime/base/json_text.h"

namespace cppgen::report {

// The kernels and needs of a model, as fields of a JSON object.
void write_summary(Json&, const Explanation&);

struct ExplainedParts {
  std::optional<std::vector<size_t>> steps;  // numbers of those that are listed; nullopt: all
  bool source = false, assembly = false;     // of steps
  bool memory = false;                       // the placement of intermediate values
};

// The answer of `cppgen explain`.
Json explain_json(const std::string& model, const Explanation&, const ExplainedParts& = {});

}  // namespace cppgen::report
