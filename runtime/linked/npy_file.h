// Files in NumPy's format .npy, with elements in the order of rows.
#pragma once
#include <stdint.h>

namespace cppgen::linked {

struct NpyArray {
  char type[16];  // "<f4"
  int rank;
  int64_t dims[64];
  int64_t bytes;
  void* data;  // of malloc
};

// Null, or what is wrong with the file.
const char* read_npy(const char* path, int64_t element_bytes, NpyArray&);
const char* write_npy(const char* path, const char* type, int rank, const int64_t* dims, const void* data,
                      int64_t bytes);

}  // namespace cppgen::linked
