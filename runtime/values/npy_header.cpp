#include "runtime/values/npy_header.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the header, a literal of a Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader parse() {
    NpyHeader header;
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
  [[noreturn]] void fail(const char* why) const { user_error("'{}' is not a readable .npy file: {}", path_, why); }

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

// Splits the file into its header and its data.
std::pair<std::string_view, std::string_view> split(std::string_view file, const std::string& path) {
  if (!file.starts_with(kMagic) || file.size() < 10) user_error("'{}' is not a .npy file", path);
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) user_error("'{}' has .npy format version {}; allowed are 1 to 3", path, version);
  const size_t width = version == 1 ? 2 : 4;
  const auto truncated = [&] { user_error("'{}' is truncated: its header is incomplete", path); };
  if (file.size() < 8 + width) truncated();
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, width);
  if (file.size() - 8 - width < length) truncated();
  return {file.substr(8 + width, length), file.substr(8 + width + length)};
}

std::string header_text(std::string_view descr, std::span<const int64_t> dims) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", descr);
  for (int64_t dim : dims) text += fmt::format("{},", dim);
  text += "), }";
  text.append(64 - (10 + text.size() + 1) % 64, ' ');  // so that data begin at a multiple of 64 bytes
  return text + '\n';
}

}  // namespace

std::pair<NpyHeader, std::string_view> read_npy_header(std::string_view file, const std::string& path) {
  const auto [text, data] = split(file, path);
  return {HeaderParser(text, path).parse(), data};
}

FortranOrder::FortranOrder(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()), at_(dims.size(), 0) {
  int64_t stride = 1;
  for (int64_t dim : dims) {
    strides_.push_back(stride);
    stride *= dim;
  }
}

int64_t FortranOrder::next() {
  const int64_t result = position_;
  for (size_t axis = dims_.size(); axis-- > 0;) {
    position_ += strides_[axis];
    if (++at_[axis] < dims_[axis]) break;
    position_ -= dims_[axis] * strides_[axis];
    at_[axis] = 0;
  }
  return result;
}

void write_npy_file(const std::string& path, std::string_view descr, std::span<const int64_t> dims, const void* data,
                    size_t bytes) {
  const std::string text = header_text(descr, dims);
  if (text.size() > 65535) user_error("'{}': a shape of {} dimensions is too long", path, dims.size());
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) user_error("cannot write '{}': {}", path, strerror(errno));
  std::string start(kMagic);
  start += {1, 0, char(text.size() & 255), char(text.size() >> 8)};
  const bool ok = std::fwrite(start.data(), 1, start.size(), file.get()) == start.size() &&
                  std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                  (bytes == 0 || std::fwrite(data, 1, bytes, file.get()) == bytes) && std::fflush(file.get()) == 0;
  if (!ok) user_error("cannot write '{}': {}", path, strerror(errno));
}

}  // namespace cppgen::rt
