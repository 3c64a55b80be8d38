#pragma once
#include <optional>
#include <string>

#include "runtime/session/tensor.h"

namespace cppgen::rt {

// Arrays in NumPy's .npy files, format versions 1 to 3, little endian, C order. NumPy has no bfloat16: it is written as
// uint16, the bits of the values, and read as such when the caller says so.

// UserError naming the file if it is no such array, is in Fortran order, holds another kind of elements (texts,
// objects, complex numbers), or its size is not what its header says. Nothing is allocated before that is checked.
// Elements have the type `as` where it is given: it must be what the file holds, or bfloat16 in a uint16 file.
Tensor read_npy(const std::string& path, std::optional<DType> as = {});

// Replaces `path`. UserError if it cannot be written.
void write_npy(const std::string& path, const TensorView& tensor);

}  // namespace cppgen::rt
