#pragma once
#include <cstdint>

namespace cppgen {

// What a model takes, gives and passes on. Kernels know tensors only.
enum class ValueKind : uint8_t { tensor, strings, sequence, optional, optional_sequence };

}  // namespace cppgen
