#pragma once
#include <cstdint>

namespace cppgen {

// The kinds of values that are inputs, outputs and intermediate values of a model. Kernels know only tensors.
enum class ValueKind : uint8_t { tensor, strings, sequence, optional, optional_sequence };

}  // namespace cppgen
