#include "runtime/linked/npy_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace cppgen::linked {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6, kMostHeader = 1 << 16;
constexpr const char* kMalformed = "it is not a .npy file that NumPy writes";

// The text behind "'key':" and blanks; null if there is none.
const char* value_of(const char* header, const char* key) {
  const char* at = strstr(header, key);
  if (!at) return nullptr;
  at += strlen(key);
  return at + strspn(at, " ");
}

const char* read_type(const char* header, NpyArray& array) {
  const char* text = value_of(header, "'descr':");
  if (!text || *text != '\'') return kMalformed;
  const size_t length = strcspn(++text, "'");
  if (length >= sizeof array.type) return "the type of its elements is not one of a tensor";
  memcpy(array.type, text, length);
  array.type[length] = 0;
  return nullptr;
}

const char* read_shape(const char* header, int64_t element_bytes, NpyArray& array) {
  const char* text = value_of(header, "'shape':");
  if (!text || *text != '(') return kMalformed;
  array.rank = 0, array.bytes = element_bytes;
  for (text++; *text && *text != ')'; text += strspn(text, ", ")) {
    char* end = nullptr;
    const long long dim = strtoll(text, &end, 10);
    if (end == text || dim < 0 || array.rank == 64) return kMalformed;
    array.dims[array.rank++] = dim, text = end;
    if (__builtin_mul_overflow(array.bytes, int64_t(dim), &array.bytes)) return "its shape is too large";
  }
  return *text ? nullptr : kMalformed;
}

const char* read_header(FILE* file, int64_t element_bytes, NpyArray& array) {
  unsigned char start[kMagicBytes + 2], size[4] = {};
  if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, kMagic, kMagicBytes) != 0) return kMalformed;
  const size_t size_bytes = start[kMagicBytes] == 1 ? 2 : 4;
  if (fread(size, 1, size_bytes, file) != size_bytes) return kMalformed;
  const size_t bytes = size_t(size[0]) | size_t(size[1]) << 8 | size_t(size[2]) << 16 | size_t(size[3]) << 24;
  if (bytes > kMostHeader) return kMalformed;
  static char header[kMostHeader + 1];
  if (fread(header, 1, bytes, file) != bytes) return kMalformed;
  header[bytes] = 0;
  const char* order = value_of(header, "'fortran_order':");
  if (!order) return kMalformed;
  if (strncmp(order, "False", 5) != 0) return "its elements are in the order of columns (fortran_order)";
  const char* wrong = read_type(header, array);
  return wrong ? wrong : read_shape(header, element_bytes, array);
}

const char* read_data(FILE* file, NpyArray& array) {
  array.data = malloc(array.bytes ? size_t(array.bytes) : 1);
  if (!array.data) return "there is not enough memory for it";
  if (fread(array.data, 1, size_t(array.bytes), file) != size_t(array.bytes))
    return "it is shorter than its shape says";
  return nullptr;
}

}  // namespace

const char* read_npy(const char* path, int64_t element_bytes, NpyArray& array) {
  FILE* file = fopen(path, "rb");
  if (!file) return "it cannot be opened";
  array.data = nullptr;
  const char* wrong = read_header(file, element_bytes, array);
  if (!wrong) wrong = read_data(file, array);
  fclose(file);
  return wrong;
}

const char* write_npy(const char* path, const char* type, int rank, const int64_t* dims, const void* data,
                      int64_t bytes) {
  static char header[kMostHeader];
  int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (int i = 0; i < rank; i++)
    length += snprintf(header + length, sizeof header - size_t(length), i + 1 < rank ? "%lld, " : "%lld,",
                       (long long)dims[i]);
  length += snprintf(header + length, sizeof header - size_t(length), "), }");
  constexpr int kStart = 10, kAlignment = 64;
  while ((kStart + length + 1) % kAlignment) header[length++] = ' ';
  header[length++] = '\n';
  FILE* file = fopen(path, "wb");
  if (!file) return "it cannot be written";
  const unsigned char start[] = {1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
  bool written = fwrite(kMagic, 1, kMagicBytes, file) == kMagicBytes && fwrite(start, 1, 4, file) == 4;
  written = written && fwrite(header, 1, size_t(length), file) == size_t(length);
  written = written && fwrite(data, 1, size_t(bytes), file) == size_t(bytes);
  return fclose(file) == 0 && written ? nullptr : "it cannot be written completely";
}

}  // namespace cppgen::linked
