#include "cppgen/support/tar_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "cppgen/support/text_writer.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

// The header of a file; numbers are octal text.
struct Header {
  std::array<char, 100> name{};
  std::array<char, 8> mode{}, user{}, group{};
  std::array<char, 12> size{}, time{};
  std::array<char, 8> checksum{};
  char type = '0';
  std::array<char, 100> link{};
  std::array<char, 6> magic{};
  std::array<char, 2> version{};
  std::array<char, 32> user_name{}, group_name{};
  std::array<char, 8> major{}, minor{};
  std::array<char, 155> prefix{};
  std::array<char, 12> unused{};
};
static_assert(sizeof(Header) == kTarBlock);

template <size_t N>
void set_number(std::array<char, N>& field, int64_t value) {
  const std::string text = fmt::format("{:0{}o}", value, N - 1);
  if (text.size() != N - 1) user_error("{} bytes do not fit into an archive", value);
  std::copy(text.begin(), text.end(), field.begin());
}

template <size_t N>
std::string text_of(const std::array<char, N>& field) {
  return {field.data(), strnlen(field.data(), N)};
}

template <size_t N>
int64_t number_of(const std::array<char, N>& field) {
  std::string text = text_of(field);
  text.erase(0, text.find_first_not_of(' '));
  while (text.ends_with(' ')) text.pop_back();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0)
    user_error("a header is damaged");
  return value;
}

// The sum of the header's bytes, with blanks instead of the field itself.
int64_t checksum_of(Header header) {
  header.checksum.fill(' ');
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  return std::accumulate(bytes, bytes + kTarBlock, int64_t{0});
}

// Long names are split at a slash.
void set_name(Header& header, const std::string& name) {
  size_t at = 0;
  if (name.size() > header.name.size()) {
    at = name.find('/', name.size() - header.name.size() - 1);
    if (at == name.npos || at > header.prefix.size()) user_error("'{}' is too long a name for an archive", name);
    std::copy(name.begin(), name.begin() + std::ptrdiff_t(at), header.prefix.begin());
    at++;
  }
  std::copy(name.begin() + std::ptrdiff_t(at), name.end(), header.name.begin());
}

bool stays_inside(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const std::filesystem::path& part) { return part == ".."; });
}

}  // namespace

TarBlock tar_header(const std::string& name, int64_t size) {
  Header header;
  set_name(header, name);
  set_number(header.mode, 0644), set_number(header.user, 0), set_number(header.group, 0);
  set_number(header.size, size), set_number(header.time, 0);
  std::memcpy(header.magic.data(), "ustar", 6), std::memcpy(header.version.data(), "00", 2);
  const std::string sum = fmt::format("{:06o}", checksum_of(header));
  std::copy(sum.begin(), sum.end(), header.checksum.begin());
  header.checksum[7] = ' ';
  TarBlock block;
  std::memcpy(block.data(), &header, sizeof header);
  return block;
}

std::optional<TarEntry> parse_tar_header(const TarBlock& block) {
  if (block[0] == '\0') return std::nullopt;
  Header header;
  std::memcpy(static_cast<void*>(&header), block.data(), sizeof header);
  if (text_of(header.magic) != "ustar" && !text_of(header.magic).starts_with("ustar "))
    user_error("it is not an archive in the ustar format");
  if (number_of(header.checksum) != checksum_of(header)) user_error("a header is damaged");
  const std::string prefix = text_of(header.prefix);
  TarEntry entry;
  entry.name = (prefix.empty() ? "" : prefix + "/") + text_of(header.name);
  entry.shown = escape_for_comment(entry.name, 80);
  entry.size = number_of(header.size);
  if (!stays_inside(entry.name)) user_error("the name '{}' could lead out of the folder", entry.shown);
  entry.is_folder = header.type == '5' && entry.size == 0;
  if (!entry.is_folder && header.type != '0' && header.type != '\0')
    user_error("'{}' is not a regular file", entry.shown);
  return entry;
}

}  // namespace cppgen
