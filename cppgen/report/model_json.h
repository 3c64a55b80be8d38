#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/explain/explain.h"
#include "cppgen/import/summary.h"
#include "cppgen/ops/op.h"
#include "runtime/base/json_text.h"

namespace cppgen::report {

// Each with its name, dtype and dims; null for dims that the model does not state.
Json tensors_json(const std::vector<ModelSummary::Tensor>&);

// The answer of `cppgen inspect`. `model`: its name.
Json inspect_json(const std::string& model, const ModelSummary&);

// States whether a model can be compiled.
struct ModelCheck {
  ModelSummary summary;
  std::optional<Explanation> explanation;  // if it can
  std::string reason;                      // otherwise
  std::vector<ops::RefusedNode> refused;   // that are the reason
};

// UserError if the model cannot be read; one that cannot be compiled is no error.
ModelCheck check_model(const CompileRequest&);

// The answer of `cppgen check`.
Json check_json(const std::string& model, const ModelCheck&);

}  // namespace cppgen::report
