#pragma once
#include <optional>
#include <string>

#include "cppgen/onnxruntime/provider_options.h"
#include "cppgen_compiler.hpp"

namespace cppgen::ep {

// The options of cppgen's sessions in one session of ONNX Runtime, which share threads.
class RunOptions {
 public:
  // cppgen::Error for a setting that is unknown, or a value that is not allowed.
  explicit RunOptions(const ProviderOptions& options);
  RunOptions(const RunOptions&) = delete;

  const Options& get() const { return options_; }

 private:
  std::string affinity_, custom_operators_, settings_;  // options_ refers to them
  Options options_;
  std::optional<Pool> pool_;
};

}  // namespace cppgen::ep
