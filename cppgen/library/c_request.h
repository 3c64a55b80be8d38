#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/library/cppgen_compiler.h"
#include "cppgen/support/interrupt.h"
#include "runtime/session/c_cancel.h"

// This is what a caller of the C API asked for.
struct cppgen_request {
  std::string model;  // empty: not given yet
  std::optional<cppgen::ModelBytes> bytes;
  std::vector<std::pair<std::string, std::string>> settings;
  bool environment = true;
  std::vector<cppgen::DimOption> dims;
  std::vector<cppgen::StateOption> states;
  std::vector<std::map<std::string, int64_t>> versions;
  std::vector<std::string> custom_operators;
  cppgen_progress_function progress = nullptr;
  void* progress_context = nullptr;
  const cppgen_cancel* cancel = nullptr;
};

namespace cppgen::library {

// UserError for a value that is not allowed. Applies LOGLEVEL and logs the settings' warnings.
Settings settings_of(const cppgen_request&);

// Does the same for the compiler, while `cancel` lives. UserError also without a model.
CompileRequest compile_request(const cppgen_request&, const CancelToken& cancel);

// Runs `work` with a request for the compiler that the caller can cancel.
template <class F>
auto with_request(const cppgen_request& request, const F& work) {
  const CancelToken cancel(request.cancel ? &request.cancel->requested : nullptr);
  return work(compile_request(request, cancel));
}

}  // namespace cppgen::library
