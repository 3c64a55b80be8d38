#pragma once
#include <string>

#include "runtime/values/value.h"

namespace cppgen::rt {

// Strings in .npy files: arrays of code points ('<U9', for UTF-8), as np.array of str makes them, or of bytes ('|S9')
// if a string is not UTF-8. NumPy pads elements with zeros, so trailing zeros of a string are lost.

// UserError naming the file if it is not such an array.
StringTensor read_npy_strings(const std::string& path);
bool holds_strings(const std::string& path);  // UserError naming the file if it is not a .npy file
// Replaces `path`. UserError if it cannot be written.
void write_npy_strings(const std::string& path, const StringTensor&);

}  // namespace cppgen::rt
