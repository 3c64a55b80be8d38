#pragma once
#include <optional>
#include <string>

#include "runtime/values/tensor.h"

namespace cppgen::rt {

// Arrays in NumPy's .npy files, format versions 1 to 3, little endian, read in C and in Fortran order. NumPy lacks
// bfloat16 and the types narrower than float16 and int8. They are written as integers of their size in memory (the bits
// of floats as uint16 or uint8, int4 and int2 as int8, uint4 and uint2 as uint8) and read in the same way if the caller
// states the type; also from the untyped elements (V2, V1, f1) that NumPy writes for such types of other packages.

// UserError naming the file if it is not such an array, holds another kind of elements (strings, objects, complex
// numbers), or has a size that differs from its header. Nothing is allocated before these checks. Elements have the
// type `as` if it is given: it must be the type in the file, or one that NumPy lacks. Elements of fewer than eight bits
// must be in their range.
Tensor read_npy(const std::string& path, std::optional<DType> as = {});

bool needs_type_for_npy(DType);  // NumPy lacks it

// UserError unless the file can be read and starts like a .npy file; its elements are not read.
void check_npy(const std::string& path);

// Replaces `path`. UserError if it cannot be written.
void write_npy(const std::string& path, const TensorView& tensor);

}  // namespace cppgen::rt
