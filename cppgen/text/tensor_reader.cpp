#include "cppgen/text/tensor_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "cppgen/ir/text/exact_text.h"
#include "runtime/base/checked.h"

namespace cppgen::text {
namespace {

// The most bytes of a constant that a text describes by a few characters, such as a splat.
constexpr int64_t kMostSplatBytes = int64_t{1} << 30;

using Bytes = std::vector<std::byte>;

void append(Bytes& bytes, DType type, uint64_t bits) {
  const size_t at = bytes.size();
  bytes.resize(at + size_of(type));
  std::memcpy(bytes.data() + at, &bits, size_of(type));
}

template <class T>
T parse_float(Reader& reader, const char* what) {
  const Place place = reader.peek().place;
  const std::string text = reader.number(what);
  if (text == "-nan") return -std::numeric_limits<T>::quiet_NaN();
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) reader.fail_at(place, fmt::format("{} is out of range", text));
  if (error != std::errc() || end != text.data() + text.size())
    reader.fail_at(place, fmt::format("expected {}, found {}", what, text));
  return value;
}

// `bits(0x1f)`, after the word.
uint64_t read_bits(Reader& reader, DType type) {
  reader.expect_sign("(");
  const Place place = reader.peek().place;
  const uint64_t bits = reader.bits("bits in hexadecimal, 0x1f");
  if (size_of(type) < sizeof bits && bits >> (8 * size_of(type)))
    reader.fail_at(place, fmt::format("a {} has {} bits", name_of(type), 8 * size_of(type)));
  reader.expect_sign(")");
  return bits;
}

uint64_t integer_bits(Reader& reader, DType type) {
  const Place place = reader.peek().place;
  if (type == DType::u64 && reader.at(TokenKind::number)) {
    const std::string text = reader.take().text;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    reader.fail_at(place, fmt::format("expected a {}, found {}", name_of(type), text));
  }
  const int64_t value = reader.integer("an integer");
  const unsigned width = 8 * unsigned(size_of(type));
  const int64_t most = width == 64 ? INT64_MAX : (int64_t{1} << (is_signed_int(type) ? width - 1 : width)) - 1;
  const int64_t least = is_signed_int(type) ? -most - 1 : 0;
  if (value < least || value > most)
    reader.fail_at(place, fmt::format("{} is not in the range of {}", value, name_of(type)));
  return uint64_t(value);
}

uint64_t element_bits(Reader& reader, DType type) {
  if (reader.accept_word("bits")) return read_bits(reader, type);
  if (type == DType::boolean) {
    if (!reader.at_word("true") && !reader.at_word("false")) reader.expected("true or false");
    return reader.take().text == "true";
  }
  if (!is_float(type)) return integer_bits(reader, type);
  if (type == DType::f64) return ir::float_bits(type, parse_float<double>(reader, "a number"));
  return ir::float_bits(type, double(parse_float<float>(reader, "a number")));
}

Bytes listed(Reader& reader, DType type, int64_t elements) {
  Bytes bytes;
  const Place place = reader.peek().place;
  int64_t count = 0;
  reader.list("[", "]", [&] {
    if (++count > elements) reader.fail(fmt::format("more elements than the {} of the type", elements));
    append(bytes, type, element_bits(reader, type));
  });
  if (count != elements) reader.fail_at(place, fmt::format("expected {} elements, found {}", elements, count));
  return bytes;
}

Bytes splat(Reader& reader, DType type, int64_t elements) {
  const Place place = reader.peek().place;
  const uint64_t bits = element_bits(reader, type);
  if (elements > kMostSplatBytes / int64_t(size_of(type)))
    reader.fail_at(place, fmt::format("{} elements are too many for splat", elements));
  Bytes bytes;
  bytes.reserve(size_t(elements) * size_of(type));
  for (int64_t i = 0; i < elements; i++) append(bytes, type, bits);
  return bytes;
}

int digit_of(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

Bytes dense(Reader& reader, DType type, int64_t elements) {
  const Place place = reader.peek().place;
  const std::string text = reader.string("a string of hexadecimal digits");
  const size_t size = size_t(elements) * size_of(type);
  if (text.size() % 2 || text.size() / 2 != size)
    reader.fail_at(place, fmt::format("expected {} hexadecimal digits, found {}", 2 * size, text.size()));
  Bytes bytes(size);
  for (size_t i = 0; i < size; i++) {
    const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) reader.fail_at(place, "expected hexadecimal digits, 0-9 and a-f");
    bytes[i] = std::byte(high * 16 + low);
  }
  return bytes;
}

}  // namespace

std::optional<DType> accept_element_type(Reader& reader) {
  if (!reader.at(TokenKind::name)) return std::nullopt;
  std::optional<DType> type = dtype_from_name(reader.peek().text);
  if (!type && reader.at_word("string")) type = DType(kDTypeCount);
  if (type) reader.take();
  return type;
}

std::vector<int64_t> read_dims(Reader& reader, DType type) {
  const Place place = reader.peek().place;
  std::vector<int64_t> dims;
  auto bytes = int64_t(size_of(type));
  reader.list("[", "]", [&] {
    if (dims.size() == kMostDimensions) reader.fail(fmt::format("more than {} dimensions", kMostDimensions));
    dims.push_back(reader.integer("a dimension", 0, INT64_MAX));
    reader.at_place(place, [&] { bytes = checked_mul(bytes, dims.back(), "size of a tensor"); });
  });
  return dims;
}

std::vector<int64_t> constant_dims(const Reader& reader, DType type, const std::vector<ir::IndexExpr>& shape,
                                   Place place) {
  std::vector<int64_t> dims;
  auto bytes = int64_t(size_of(type));
  for (const ir::IndexExpr& d : shape) {
    if (!d.is_constant()) reader.fail_at(place, "a dimension of a constant is no number: " + ir::to_string(d));
    if (d.constant() < 0) reader.fail_at(place, "a dimension is negative: " + ir::to_string(d));
    dims.push_back(d.constant());
    if (__builtin_mul_overflow(bytes, d.constant(), &bytes)) reader.fail_at(place, "the constant is too large");
  }
  return dims;
}

uint64_t read_element(Reader& reader, DType type) { return element_bits(reader, type); }

ir::ConstantData read_data(Reader& reader, DType type, const std::vector<int64_t>& dims) {
  if (size_t(type) >= size_t(kDTypeCount)) reader.fail("constants of strings are not supported");
  int64_t elements = 1;
  for (int64_t d : dims) elements *= d;  // read_dims has checked it
  Bytes bytes;
  if (reader.at_word("elided"))
    reader.fail("the elements were left out when this text was printed; `cppgen opt` prints all of them");
  if (reader.at_sign("["))
    bytes = listed(reader, type, elements);
  else if (reader.accept_word("splat"))
    bytes = splat(reader, type, elements);
  else if (reader.accept_word("dense"))
    bytes = dense(reader, type, elements);
  else
    reader.expected("elements: [...], splat or dense");
  auto owner = std::make_shared<Bytes>(std::move(bytes));
  return {owner, owner->data(), owner->size()};
}

float read_float(Reader& reader) {
  if (!reader.accept_word("bits")) return parse_float<float>(reader, "a number");
  const auto bits = uint32_t(read_bits(reader, DType::f32));
  return std::bit_cast<float>(bits);
}

double read_double(Reader& reader) {
  if (!reader.accept_word("bits")) return parse_float<double>(reader, "a number");
  return std::bit_cast<double>(read_bits(reader, DType::f64));
}

}  // namespace cppgen::text
