// NonZero and Compress: elements that the data choose.
#include <algorithm>
#include <cstring>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_choices.h"
#include "runtime/plan/calls/host_strings.h"
#include "runtime/values/string_handles.h"

namespace cppgen::rt {
namespace {

using Positions = std::vector<int64_t>;

// Positions in [0, count) that `chosen` holds for, without branches that guess.
template <class Chosen>
Positions positions_where(int64_t count, const Chosen& chosen) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) total += chosen(i);
  Positions found(static_cast<size_t>(total));
  for (int64_t i = 0, n = 0; i < count && n < total; i++) {
    found[size_t(n)] = i;
    n += chosen(i);
  }
  return found;
}

template <class Bits>
Positions positions_of_bits(const Tensor& x, Bits mask) {
  const Bits* bits = x.as<Bits>();
  return positions_where(x.elements(), [=](int64_t i) { return (bits[i] & mask) != 0; });
}

// For floats, the sign bit is ignored: -0 is zero.
Positions positions_of_non_zero(const Tensor& x) {
  const bool floats = is_float(x.type());
  switch (size_of(x.type())) {
    case 8:
      return positions_of_bits<uint64_t>(x, floats ? ~uint64_t(0) >> 1 : ~uint64_t(0));
    case 4:
      return positions_of_bits<uint32_t>(x, floats ? ~uint32_t(0) >> 1 : ~uint32_t(0));
    case 2:
      return positions_of_bits<uint16_t>(x, floats ? 0x7FFF : 0xFFFF);
    default:
      break;
  }
  if (!floats) return positions_of_bits<uint8_t>(x, 0xFF);
  return positions_where(x.elements(), [&](int64_t i) { return number_element(x.type(), x.data(), i) != 0; });
}

// One row of indices per dimension: ascending positions mostly stay within a row of the last dimension or go on to the
// next, so that divisions are few.
Tensor indices_of(const Positions& found, const std::vector<int64_t>& dims) {
  const auto count = int64_t(found.size());
  Tensor result(DType::i64, {int64_t(dims.size()), count});
  auto* out = result.as<int64_t>();
  const int64_t width = dims.back();
  int64_t row_begin = 0;
  std::vector<int64_t> at(dims.size(), 0);
  for (int64_t k = 0; k < count; k++) {
    const int64_t position = found[size_t(k)];
    if (position >= row_begin + width) {
      int64_t row = position / width;
      row_begin = row * width;
      for (size_t d = dims.size() - 1; d-- > 0; row /= dims[d]) at[d] = row % dims[d];
    }
    for (size_t d = 0; d + 1 < dims.size(); d++) out[int64_t(d) * count + k] = at[d];
    out[int64_t(dims.size() - 1) * count + k] = position - row_begin;
  }
  return result;
}

std::vector<Value> non_zero(const HostCall& call) {
  const Tensor& x = call.tensor(0);
  std::vector<int64_t> dims = x.dims();
  if (dims.empty()) dims.push_back(1);
  return one_value(indices_of(positions_of_non_zero(x), dims));
}

template <class Element>
void gather(const Element* from, Element* to, const Positions& chosen) {
  for (size_t k = 0; k < chosen.size(); k++) to[k] = from[chosen[k]];
}

// Rows of `bytes` at the chosen positions.
void gather_rows(const char* from, char* to, const Positions& chosen, int64_t bytes) {
  switch (bytes) {
    case 1:
      return gather(reinterpret_cast<const uint8_t*>(from), reinterpret_cast<uint8_t*>(to), chosen);
    case 2:
      return gather(reinterpret_cast<const uint16_t*>(from), reinterpret_cast<uint16_t*>(to), chosen);
    case 4:
      return gather(reinterpret_cast<const uint32_t*>(from), reinterpret_cast<uint32_t*>(to), chosen);
    case 8:
      return gather(reinterpret_cast<const uint64_t*>(from), reinterpret_cast<uint64_t*>(to), chosen);
    default:
      for (int64_t position : chosen) {
        std::memcpy(to, from + position * bytes, size_t(bytes));
        to += bytes;
      }
  }
}

Tensor compress_tensor(const HostCall& call, const CompressCall& fields, const Tensor& x) {
  const Tensor& condition = call.tensor(1);
  const std::vector<int64_t> dims = fields.has_axis ? x.dims() : std::vector<int64_t>{x.elements()};
  const int64_t axis = fields.has_axis ? fields.axis : 0;
  if (axis < 0 || axis >= int64_t(dims.size())) call.fail(fmt::format("axis {} does not exist", axis));
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < int64_t(dims.size()); d++)
    if (d != axis) (d < axis ? outer : inner) *= dims[size_t(d)];
  const int64_t count = dims[size_t(axis)], row = inner * int64_t(size_of(x.type()));
  if (condition.type() != DType::boolean || condition.elements() > count)
    call.fail(fmt::format("the condition has {} elements for {}", condition.elements(), count));
  const auto* mask = condition.as<uint8_t>();
  const Positions chosen = positions_where(condition.elements(), [=](int64_t i) { return mask[i] != 0; });
  std::vector<int64_t> to = dims;
  to[size_t(axis)] = int64_t(chosen.size());
  Tensor result(x.type(), to);
  for (int64_t o = 0; o < outer && result.bytes() > 0; o++)
    gather_rows(x.as<char>() + o * count * row, result.as<char>() + o * to[size_t(axis)] * row, chosen, row);
  return result;
}

std::vector<Value> compress(const HostCall& call, const CompressCall& fields) {
  if (!call.has(0) || !call.inputs[0]->strings()) return one_value(compress_tensor(call, fields, call.tensor(0)));
  StringHandles strings;
  return one_value(strings.leave(compress_tensor(call, fields, strings.enter(call.strings(0)))));
}

std::vector<Value> bit_cast(const HostCall& call, const TypeCall& fields) {
  const Tensor& x = call.tensor(0);
  const DType to = fields.type;
  const int bits = bits_of(to);
  if (bits != bits_of(x.type()))
    call.fail(fmt::format("{} and {} have different numbers of bits", name_of(x.type()), name_of(to)));
  Tensor result(to, x.dims());
  if (x.bytes() > 0) std::memcpy(result.data(), x.data(), size_t(x.bytes()));
  auto* bytes = result.as<uint8_t>();
  const int sign = is_signed_int(to) ? 1 << (bits - 1) : 0;
  for (int64_t i = 0; bits < 8 && i < x.elements(); i++)
    bytes[i] = uint8_t(((bytes[i] & ((1 << bits) - 1)) ^ sign) - sign);
  for (int64_t i = 0; to == DType::boolean && i < x.elements(); i++) bytes[i] = bytes[i] != 0;
  return one_value(std::move(result));
}

}  // namespace

HostFunction prepare_bit_cast(const HostStep& step) { return prepared(bit_cast, step); }
HostFunction prepare_non_zero(const HostStep& step) { return prepared(non_zero, step); }
HostFunction prepare_compress(const HostStep& step) { return prepared(compress, step); }

}  // namespace cppgen::rt
