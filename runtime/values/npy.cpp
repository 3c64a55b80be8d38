#include "runtime/values/npy.h"

#include <cstring>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/memory/mapping.h"
#include "runtime/values/npy_header.h"

namespace cppgen::rt {
namespace {

// NumPy has numbers of whole bytes and of its own formats; others are written under the code of their bytes.
bool is_numpy_type(const DTypeRow& row) {
  const char kind = "fiub"[size_t(row.number)];
  return row.npy[0] == kind && 8 * (row.npy[1] - '0') == row.bits;
}

// Returns whether elements of this description may be of a type that NumPy lacks.
bool may_be(std::string_view descr, DType type) {
  if (descr.size() != 3 || descr[0] == '>') return false;
  const std::string_view code = descr.substr(1);
  return code == dtype_row(type).npy || code == (size_of(type) == 1 ? "V1" : "V2") || (is_float8(type) && code == "f1");
}

DType type_of(const std::string& descr, const std::string& path) {
  if (descr.size() == 3 && descr[0] == '>' && descr[2] != '1')
    user_error("'{}' holds big-endian elements ({}); only little-endian elements can be read", path, descr);
  const bool order = descr.size() == 3 && (descr[0] == '<' || descr[0] == '|' || descr[0] == '=' || descr[0] == '>');
  for (int type = 0; type < kDTypeCount; type++)
    if (order && descr.substr(1) == kDTypeRows[type].npy && is_numpy_type(kDTypeRows[type])) return DType(type);
  user_error("'{}' holds elements of the kind '{}'; allowed are bool, float16/32/64 and (u)int8/16/32/64", path, descr);
}

// A file may hold other bytes than those that kernels rely on: bools are made 0 or 1.
void check_elements(Tensor& tensor, const std::string& path) {
  auto* bytes = tensor.as<uint8_t>();
  const int64_t count = tensor.elements();
  if (tensor.type() == DType::boolean)
    for (int64_t i = 0; i < count; i++) bytes[i] = bytes[i] != 0;
  if (bits_of(tensor.type()) >= 8) return;
  const auto [least, greatest] = range_of(tensor.type());
  const DType byte = least < 0 ? DType::i8 : DType::u8;
  for (int64_t i = 0; i < count; i++)
    if (const int64_t value = integer_element(byte, bytes, i); value < least || value > greatest)
      user_error("'{}' holds the {} {}; allowed are {} to {}", path, name_of(tensor.type()), value, least, greatest);
}

void copy_fortran_order(Tensor& tensor, const char* from) {
  const size_t size = size_of(tensor.type());
  FortranOrder order(tensor.dims());
  char* to = tensor.as<char>();
  for (int64_t i = 0, n = tensor.elements(); i < n; i++, to += size)
    std::memcpy(to, from + size_t(order.next()) * size, size);
}

}  // namespace

void check_npy(const std::string& path) {
  const MappedFile file(path);
  read_npy_header({file.data(), size_t(file.bytes())}, path);
}

bool needs_type_for_npy(DType type) { return !is_numpy_type(dtype_row(type)); }

Tensor read_npy(const std::string& path, std::optional<DType> as) {
  const MappedFile file(path);
  const auto [header, data] = read_npy_header({file.data(), size_t(file.bytes())}, path);
  const bool told = as && needs_type_for_npy(*as) && may_be(header.descr, *as);
  const DType type = told ? *as : type_of(header.descr, path);
  if (as && *as != type) user_error("'{}' holds {}; expected {}", path, name_of(type), name_of(*as));
  if (const int64_t bytes = byte_size(type, header.shape); bytes != int64_t(data.size()))
    user_error("'{}' holds {} bytes of data; its header says {} of shape {}, which take {}", path, data.size(),
               name_of(type), shape_text(header.shape), bytes);
  Tensor tensor(type, header.shape);
  if (header.fortran_order)
    copy_fortran_order(tensor, data.data());
  else if (!data.empty())
    std::memcpy(tensor.data(), data.data(), data.size());
  check_elements(tensor, path);
  return tensor;
}

void write_npy(const std::string& path, const TensorView& tensor) {
  const std::string_view code = dtype_row(tensor.type).npy;
  const std::string descr = (code.back() == '1' ? "|" : "<") + std::string(code);
  write_npy_file(path, descr, tensor.dims, tensor.data, size_t(byte_size(tensor.type, tensor.dims)));
}

}  // namespace cppgen::rt
