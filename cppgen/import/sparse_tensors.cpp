#include "cppgen/import/sparse_tensors.h"

#include <cstring>

#include "cppgen/import/tensors.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

// A few values may imply any number of zeros, so the memory that is allocated is limited in proportion to the file's
// size.
constexpr int64_t kFreeBytes = 1 << 16, kMostBytesPerByte = 4096;

// Positions are counted through all elements, or given along each dimension: [values] or [values, rank].
int64_t element_at(const Tensor& positions, int64_t k, const std::vector<int64_t>& dims) {
  const int64_t* at = positions.as<int64_t>();
  const bool along_each = positions.dims.size() == 2;
  int64_t element = along_each ? 0 : at[k], elements = 1;
  for (size_t d = 0; d < dims.size(); d++) {
    elements *= dims[d];
    if (!along_each) continue;
    const int64_t i = at[k * int64_t(dims.size()) + int64_t(d)];
    if (i < 0 || i >= dims[d]) user_error("has the position {} along dimension {} of size {}", i, d, dims[d]);
    element = element * dims[d] + i;
  }
  if (element < 0 || element >= elements) user_error("has the position {} among {} elements", element, elements);
  return element;
}

}  // namespace

Tensor import_sparse_tensor(onnx::SparseTensorProto& proto, ExternalData& files) {
  const Tensor values = import_tensor(*proto.mutable_values(), files);
  const Tensor positions = import_tensor(*proto.mutable_indices(), files);
  const std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  const int64_t bytes = tensor_bytes(values.dtype, dims);
  const int64_t most = kFreeBytes + kMostBytesPerByte * int64_t(values.data.size + positions.data.size);
  if (bytes > most)
    user_error("is sparse and takes {} bytes when dense; at most {} are allowed for its number of values", bytes, most);
  const int64_t count = values.elements(), rank = int64_t(dims.size());
  const bool fits = positions.dims == std::vector<int64_t>{count} || positions.dims == std::vector{count, rank};
  if (positions.dtype != DType::i64 || values.dims.size() != 1 || !fits)
    user_error("is sparse and does not have an int64 position for each of its {} values", count);
  std::vector<std::byte> data(static_cast<size_t>(bytes));
  const auto size = size_of(values.dtype);
  for (int64_t k = 0; k < count; k++)
    std::memcpy(data.data() + size_t(element_at(positions, k, dims)) * size, values.as<std::byte>() + size_t(k) * size,
                size);
  return make_tensor(values.dtype, dims, std::move(data));
}

}  // namespace cppgen::import
