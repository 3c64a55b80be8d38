#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen::rt {

// The header of a .npy file, which precedes its elements.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The header and the bytes that follow it. UserError naming the file if it does not have this format.
std::pair<NpyHeader, std::string_view> read_npy_header(std::string_view file, const std::string& path);

// The positions in the file of the elements of an array in Fortran order, listed in C order.
class FortranOrder {
 public:
  explicit FortranOrder(std::span<const int64_t> dims);
  int64_t next();

 private:
  std::vector<int64_t> dims_, strides_, at_;
  int64_t position_ = 0;
};

// Replaces `path`. UserError if it cannot be written.
void write_npy_file(const std::string& path, std::string_view descr, std::span<const int64_t> dims, const void* data,
                    size_t bytes);

}  // namespace cppgen::rt
