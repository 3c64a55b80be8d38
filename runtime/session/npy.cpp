#include "runtime/session/npy.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/memory/mapping.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeCode {
  std::string_view code;
  DType type;
};
// The first row of a type is the one that is written.
constexpr TypeCode kTypeCodes[] = {
    {"f4", DType::f32},        {"f8", DType::f64},      {"f2", DType::f16},        {"i1", DType::i8},
    {"i2", DType::i16},        {"i4", DType::i32},      {"i8", DType::i64},        {"u1", DType::u8},
    {"u2", DType::u16},        {"u4", DType::u32},      {"u8", DType::u64},        {"b1", DType::boolean},
    {"u2", DType::bf16},       {"u1", DType::f8e4m3fn}, {"u1", DType::f8e4m3fnuz}, {"u1", DType::f8e5m2},
    {"u1", DType::f8e5m2fnuz}, {"i1", DType::i4},       {"u1", DType::u4}};

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Reads the header, a literal of a Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = quoted();
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        fail("the header has an unknown key");
      }
      if (!accept(',') && peek() != '}') fail("the header is malformed");
    }
    if (!descr || !order || !shape) fail("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    user_error("'{}' is not a .npy file that can be read: {}", path_, why);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) at_++;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    at_++;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("the header is malformed");
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("its elements are not numbers");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("the header is malformed");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }
  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair(std::string_view("True"), true), {"False", false}})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    fail("fortran_order is neither True nor False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t dim = -1;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) fail("the shape is malformed");
      at_ += size_t(end - begin);
      dims.push_back(dim);
      if (dims.size() > 64) fail("the shape has more than 64 dimensions");
      accept('L');  // Python 2 wrote long integers like this
      if (!accept(',') && peek() != ')') fail("the shape is malformed");
    }
    return dims;
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
};

std::string_view code_of(DType type) {
  for (const TypeCode& row : kTypeCodes)
    if (row.type == type) return row.code;
  internal_error("npy: type {}", name_of(type));
}

// Whether elements of this description may be of a type that NumPy lacks.
bool may_be(std::string_view descr, DType type) {
  if (descr.size() != 3 || descr[0] == '>') return false;
  const std::string_view code = descr.substr(1);
  return code == code_of(type) || code == (size_of(type) == 1 ? "V1" : "V2") || (is_float8(type) && code == "f1");
}

DType type_of(const std::string& descr, const std::string& path) {
  if (descr.size() == 3 && descr[0] == '>' && descr[2] != '1')
    user_error("'{}' holds big-endian elements ({}); only little-endian ones can be read", path, descr);
  const bool order = descr.size() == 3 && (descr[0] == '<' || descr[0] == '|' || descr[0] == '=' || descr[0] == '>');
  for (const TypeCode& row : kTypeCodes)
    if (order && descr.substr(1) == row.code) return row.type;
  user_error("'{}' holds elements of the kind '{}'; allowed are bool, float16/32/64 and (u)int8/16/32/64", path, descr);
}

// Splits the file into its header and its data.
std::pair<std::string_view, std::string_view> split(std::string_view file, const std::string& path) {
  if (!file.starts_with(kMagic) || file.size() < 10) user_error("'{}' is not a .npy file", path);
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) user_error("'{}' has .npy format version {}; allowed is 1 to 3", path, version);
  const size_t width = version == 1 ? 2 : 4;
  const auto truncated = [&] { user_error("'{}' is truncated: its header is incomplete", path); };
  if (file.size() < 8 + width) truncated();
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, width);
  if (file.size() - 8 - width < length) truncated();
  return {file.substr(8 + width, length), file.substr(8 + width + length)};
}

std::string header_text(const TensorView& tensor) {
  const std::string_view code = code_of(tensor.type);
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': (", code.back() == '1' ? '|' : '<', code);
  for (int64_t dim : tensor.dims) text += fmt::format("{},", dim);
  text += "), }";
  text.append(64 - (10 + text.size() + 1) % 64, ' ');  // so that data begin at a multiple of 64 bytes
  return text + '\n';
}

// A file may hold other bytes than those that kernels rely on: bools are made 0 or 1.
void check_elements(Tensor& tensor, const std::string& path) {
  auto* bytes = tensor.as<uint8_t>();
  const int64_t count = tensor.elements();
  if (tensor.type() == DType::boolean)
    for (int64_t i = 0; i < count; i++) bytes[i] = bytes[i] != 0;
  if (!is_four_bits(tensor.type())) return;
  const int least = tensor.type() == DType::i4 ? -8 : 0;
  for (int64_t i = 0; i < count; i++)
    if (const int64_t value = integer_element(tensor.type(), bytes, i); value < least || value > least + 15)
      user_error("'{}' holds the {} {}; allowed are {} to {}", path, name_of(tensor.type()), value, least, least + 15);
}

}  // namespace

bool needs_type_for_npy(DType type) { return type == DType::bf16 || is_float8(type) || is_four_bits(type); }

Tensor read_npy(const std::string& path, std::optional<DType> as) {
  const MappedFile file(path);
  const auto [text, data] = split({file.data(), size_t(file.bytes())}, path);
  const Header header = HeaderParser(text, path).parse();
  const bool told = as && needs_type_for_npy(*as) && may_be(header.descr, *as);
  const DType type = told ? *as : type_of(header.descr, path);
  if (header.fortran_order) user_error("'{}' is in Fortran order; only C order can be read", path);
  if (as && *as != type) user_error("'{}' holds {}; expected {}", path, name_of(type), name_of(*as));
  if (const int64_t bytes = byte_size(type, header.shape); bytes != int64_t(data.size()))
    user_error("'{}' holds {} bytes of data; its header says {} of shape {}, which are {}", path, data.size(),
               name_of(type), shape_text(header.shape), bytes);
  Tensor tensor(type, header.shape);
  if (!data.empty()) std::memcpy(tensor.data(), data.data(), data.size());
  check_elements(tensor, path);
  return tensor;
}

void write_npy(const std::string& path, const TensorView& tensor) {
  const std::string text = header_text(tensor);
  if (text.size() > 65535) user_error("'{}': a shape of {} dimensions is too long", path, tensor.dims.size());
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) user_error("cannot write '{}': {}", path, strerror(errno));
  const unsigned char start[] = {0x93,
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 static_cast<unsigned char>(text.size() & 255),
                                 static_cast<unsigned char>(text.size() >> 8)};
  const auto bytes = size_t(byte_size(tensor.type, tensor.dims));
  const bool ok = std::fwrite(start, 1, sizeof start, file.get()) == sizeof start &&
                  std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                  (bytes == 0 || std::fwrite(tensor.data, 1, bytes, file.get()) == bytes) &&
                  std::fflush(file.get()) == 0;
  if (!ok) user_error("cannot write '{}': {}", path, strerror(errno));
}

}  // namespace cppgen::rt
