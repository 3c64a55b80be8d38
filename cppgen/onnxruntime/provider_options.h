#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/ort_call.h"

namespace cppgen::ep {

inline constexpr char kProviderName[] = "CppgenExecutionProvider";

// The options of a session for this provider. docs/onnxruntime.md describes the options.
struct ProviderOptions {
  std::map<std::string, std::string> settings;  // of the compiler and of runs, by name
  std::vector<std::string> sizes, dims, custom_operators;
  size_t min_nodes = 6;
  double min_milliseconds = 0.1;
  double max_boundary = 0.05;  // the share of a group's time that may go to the layout of images at its boundary

  // Tells whether the session stores an EPContext model, and how.
  bool store_context = false;
  bool embed_context = false;
  std::string context_path;    // "": next to the model
  std::string context_prefix;  // of the names of EPContext nodes
};

// Reads the options of this provider ("ep.cppgenexecutionprovider.NAME", as ONNX Runtime keeps them) and those of
// EPContext models. An option with a bad value is a Failure that says what is allowed; names and values of settings are
// checked by the compiler.
ProviderOptions read_options(const ort::Api& api, const ort::SessionOptions* options);

// Reads options from pairs of names and values of all entries of a session's configuration.
ProviderOptions options_from(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace cppgen::ep
