#include "cppgen/import/tensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cppgen/import/import.h"
#include "runtime/base/checked.h"

namespace cppgen::import {
namespace {

// A decimal number of an external data entry.
int64_t parse_size(const std::string& key, const std::string& text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    user_error("external data: {} is {}, not a size in bytes", key, quoted(text));
  return value;
}

ir::ConstantData read_external(const onnx::TensorProto& proto, int64_t size, ExternalData& files) {
  std::optional<std::string> location;
  int64_t offset = 0, length = size;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = parse_size("offset", entry.value());
    if (entry.key() == "length") length = parse_size("length", entry.value());
  }
  if (!location) user_error("external data has no location");
  if (length != size) user_error("external data has {} bytes; type and dimensions require {}", length, size);
  return files.read(*location, offset, size);
}

ir::ConstantData own(std::string bytes) {
  auto owner = std::make_shared<std::string>(std::move(bytes));
  return {owner, owner->data(), owner->size()};
}

// Narrow types are stored in wider fields; values outside the type's range wrap, as in ONNX's own reader.
template <class Element, class Field>
std::string narrow_field(const Field& field) {
  std::string bytes(size_t(field.size()) * sizeof(Element), '\0');
  for (int i = 0; i < field.size(); i++) {
    auto v = Element(field.Get(i));
    std::memcpy(bytes.data() + size_t(i) * sizeof(Element), &v, sizeof(Element));
  }
  return bytes;
}

// ONNX keeps numbers of up to 32 bits in int32_data, but for float32 and uint32.
std::string typed_field(const onnx::TensorProto& p, DType type) {
  if (type == DType::f32) return narrow_field<float>(p.float_data());
  if (type == DType::f64) return narrow_field<double>(p.double_data());
  if (type == DType::i64) return narrow_field<int64_t>(p.int64_data());
  if (type == DType::u64) return narrow_field<uint64_t>(p.uint64_data());
  if (type == DType::u32) return narrow_field<uint32_t>(p.uint64_data());
  if (type == DType::boolean) {
    std::string bytes(size_t(p.int32_data_size()), '\0');
    for (int i = 0; i < p.int32_data_size(); i++) bytes[size_t(i)] = p.int32_data(i) != 0;
    return bytes;
  }
  switch (size_of(type)) {
    case 1:
      return narrow_field<uint8_t>(p.int32_data());
    case 2:
      return narrow_field<uint16_t>(p.int32_data());
    default:
      return narrow_field<int32_t>(p.int32_data());
  }
}

bool share_bytes(DType type) { return bits_of(type) < 8; }

// The bytes that a file has for elements of `bytes` bytes: the same, but fewer where several share one.
int64_t stored_bytes(DType type, int64_t bytes) {
  const int64_t shared = share_bytes(type) ? 8 / bits_of(type) : 1;
  return bytes / shared + (bytes % shared != 0);
}

// Several elements share a byte, with the first in the low bits.
ir::ConstantData unpacked(const ir::ConstantData& packed, DType type, int64_t count) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(packed.bytes);
  const int bits = bits_of(type), shared = 8 / bits, mask = (1 << bits) - 1;
  const int sign = is_signed_int(type) ? 1 << (bits - 1) : 0;
  std::string elements(size_t(count), '\0');
  for (int64_t i = 0; i < count; i++) {
    const int low = bytes[i / shared] >> (i % shared * bits) & mask;
    elements[size_t(i)] = char((low ^ sign) - sign);
  }
  return own(std::move(elements));
}

int64_t typed_elements(const onnx::TensorProto& p) {
  return int64_t{p.float_data_size()} + p.int32_data_size() + p.int64_data_size() + p.double_data_size() +
         p.uint64_data_size() + p.string_data_size();
}

// The tensor as it is stored in the file.
ir::ConstantData read_stored(onnx::TensorProto& p, DType type, int64_t size, ExternalData& files) {
  if (p.data_location() == onnx::TensorProto::EXTERNAL) {
    if (p.has_raw_data() || typed_elements(p)) user_error("has both external and inline data");
    return read_external(p, size, files);
  }
  if (p.has_raw_data()) {
    if (typed_elements(p)) user_error("has both raw and typed data");
    if (int64_t(p.raw_data().size()) != size)
      user_error("has {} bytes of raw data; type and dimensions require {}", p.raw_data().size(), size);
    return own(std::move(*p.mutable_raw_data()));
  }
  std::string bytes = typed_field(p, type);
  int64_t need = size / int64_t(size_of(type)), have = int64_t(bytes.size() / size_of(type));
  if (have != need || typed_elements(p) != need)
    user_error("has {} {} of {} data; the dimensions require {}", have, share_bytes(type) ? "bytes" : "elements",
               name_of(type), need);
  return own(std::move(bytes));
}

ir::ConstantData read_data(onnx::TensorProto& p, DType type, int64_t size, ExternalData& files) {
  ir::ConstantData data = read_stored(p, type, stored_bytes(type, size), files);
  return share_bytes(type) ? unpacked(data, type, size) : data;
}

// Kernels read elements in place: their addresses must be multiples of their size, and a bool must be 0 or 1.
void make_readable(ir::ConstantData& data, DType type) {
  auto* bytes = static_cast<const char*>(data.bytes);
  bool aligned = reinterpret_cast<uintptr_t>(bytes) % size_of(type) == 0;
  bool plain = type != DType::boolean || std::all_of(bytes, bytes + data.size, [](char c) { return c == 0 || c == 1; });
  if (aligned && plain) return;
  std::string copy(bytes, data.size);
  if (type == DType::boolean)
    std::replace_if(
        copy.begin(), copy.end(), [](char c) { return c != 0; }, char{1});
  data = own(std::move(copy));
}

}  // namespace

int64_t tensor_bytes(DType type, std::span<const int64_t> dims) {
  if (int64_t(dims.size()) > kMaxRank) user_error("has {} dimensions; at most {} are allowed", dims.size(), kMaxRank);
  bool empty = false;
  int64_t size = int64_t(size_of(type));
  for (int64_t d : dims) {
    if (d < 0) user_error("has the negative dimension {}", d);
    empty |= d == 0;
    size = checked_mul(size, std::max<int64_t>(d, 1), "size in bytes");
  }
  return empty ? 0 : size;
}

Tensor import_tensor(onnx::TensorProto& proto, ExternalData& files) {
  std::optional<DType> type = dtype_of(proto.data_type());
  if (!type) user_error("has element type {}, which is not supported", elem_type_name(proto.data_type()));
  if (proto.has_segment()) user_error("is stored in segments, which is not supported");
  Tensor tensor{*type, {proto.dims().begin(), proto.dims().end()}, {}};
  int64_t size = tensor_bytes(*type, tensor.dims);
  tensor.data = read_data(proto, *type, size, files);
  if (size) make_readable(tensor.data, *type);
  return tensor;
}

void make_inline(onnx::TensorProto& proto, ExternalData& files) {
  if (proto.data_location() != onnx::TensorProto::EXTERNAL) return;
  const std::optional<DType> type = dtype_of(proto.data_type());
  if (!type) user_error("has element type {}, which is not supported", elem_type_name(proto.data_type()));
  const std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  const ir::ConstantData data = read_external(proto, stored_bytes(*type, tensor_bytes(*type, dims)), files);
  proto.clear_external_data();
  proto.clear_data_location();
  proto.set_raw_data(data.bytes, data.size);
}

}  // namespace cppgen::import
