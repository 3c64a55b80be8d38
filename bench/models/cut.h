#pragma once
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen::bench {

// A quantized model cut at its quantized tensors: each is an output, and what reads it reads an input instead. Runtimes
// that get the same bytes there may differ by one quantum in each tensor; differences of whole models say little, for
// each value next to the middle between two quanta goes either way, and all later layers carry that on.
struct CutModel {
  std::string path;
  std::vector<std::string> inputs;  // .npy files: part of the model: inputs, then the bytes that it computes from them
};

// Cuts the model of `request`, which is run once with `inputs`; files are written to `folder`.
CutModel cut_model(const CompileRequest& request, const std::vector<std::string>& inputs, const std::string& folder);

}  // namespace cppgen::bench
