#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/emit/linked_sources.h"
#include "runtime/plan/plan.h"

namespace cppgen::emit {

// The names of a model in programs.
struct ModelNames {
  ModelNames(std::string model, const rt::Plan&);

  std::string model;                         // an identifier: what all names of the model begin with
  std::vector<std::string> inputs, outputs;  // members of its structs
  std::vector<std::string> sizes;            // one for each symbol

  std::string kernel(const std::string& name) const { return model + "_kernel_" + name; }
};

// Choices that emitted code depends on besides the plan.
struct ModelOptions {
  std::string isa;
  bool flush_denormals = false;
  int64_t min_chunk_size = 1;
};

// UserError if there are more weights than emitted code can address, or naming the node if a step of the plan, or of
// the outline of a module, is neither a kernel nor a call of a function in linked_library().
void require_emittable(const rt::Plan&);

// The header of the model, in C.
std::string header_text(const ModelNames&, const rt::Plan&, const ModelOptions&);
// The functions that it declares, in C++.
std::string functions_text(const ModelNames&, const rt::Plan&, const ModelOptions&, const TileUses&);
// The main function of the model's program.
std::string program_text(const ModelNames&, const rt::Plan&);

// A name of the model in a comment of C, which it does not end or continue.
std::string in_comment(std::string_view name);
// "batch, 3, 224, 224".
std::string dims_text(const rt::TensorInfo&, const rt::Plan&);

}  // namespace cppgen::emit
