#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/model_writer.h"
#include "cppgen/onnxruntime/provider_options.h"
#include "cppgen_compiler.hpp"

namespace cppgen::ep {

// States whether a model can be compiled, and what it takes.
struct Answer {
  bool supported = false;
  std::string reason;              // if not
  std::vector<std::string> nodes;  // that are the reason, as far as the compiler names them
  double milliseconds = 0;         // that a run is predicted to take
  double boundary_bytes = 0;       // of inputs and outputs
  // The sizes of each input and output that the compiler inferred or assumed, as text: numbers, names, formulas.
  std::map<std::string, std::vector<std::string>> sizes;
};

// The compiler with the options of a session. Errors are those of cppgen_compiler.hpp.
class ModelCompiler {
 public:
  explicit ModelCompiler(const ProviderOptions& options);

  // "reason" is also set for models that are no valid ones.
  Answer check(const WrittenModel& model) const;
  // The package lies in the user's cache.
  Package compile(const WrittenModel& model) const;

 private:
  CompileOptions options_;
};

}  // namespace cppgen::ep
