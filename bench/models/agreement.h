#pragma once
#include <string>

namespace cppgen::bench {

// States how far results are from expected ones.
struct Difference {
  double relative = 0;  // of tensors that hold no bytes: max |difference| over max |expected|, the worst tensor
  double quanta = 0;    // the largest difference of bytes
  double share = 0;     // of unequal bytes, the worst tensor
};

// Compares 0.npy, 1.npy ... in two folders. All is infinite where a file is missing, a shape or type is another, or one
// is NaN where the other is not.
Difference difference_of_folders(const std::string& got, const std::string& expected);

}  // namespace cppgen::bench
