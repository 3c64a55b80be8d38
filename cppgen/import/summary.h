#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen {

// A summary of a model file, without reading its weights or deciding whether it can be compiled.
struct ModelSummary {
  struct Tensor {
    std::string name;
    std::string type;  // "float32"; "sequence", "optional" ... for values that are not tensors
    bool has_shape = false;
    std::vector<std::string> dims;  // "3", the symbol's name, or "?"
  };
  std::string graph_name, producer, producer_version, domain;
  int64_t ir_version = 0, model_version = 0;
  std::map<std::string, int64_t> opsets;     // domain ("" is ONNX's own) -> version
  std::vector<Tensor> inputs, outputs;       // inputs without those that only name an initializer
  std::map<std::string, int64_t> operators;  // "Conv" or "domain.Op" -> nodes, bodies of If, Loop and Scan included,
                                             // and functions, each once
  int64_t nodes = 0;
  int64_t parameters = 0;  // elements of initializers and Constant nodes
  int64_t parameter_bytes = 0;
  std::optional<DType> narrow_floats;       // the narrower of bfloat16 and float16 that it uses
  std::vector<std::string> external_files;  // locations of external data, each once
  std::vector<std::string> functions;       // model-local functions, "domain.Name"
};

// UserError naming the file if it cannot be read or is not an ONNX model.
ModelSummary summarize_onnx(const std::string& path);
// Summarizes a model in memory. `name` is used in messages.
ModelSummary summarize_onnx_bytes(std::span<const std::byte> bytes, const std::string& name);

}  // namespace cppgen
