#include "cppgen/support/tar.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "cppgen/support/file_io.h"
#include "cppgen/support/input_file.h"
#include "cppgen/support/text_writer.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = 512, kBuffer = size_t{1} << 20;

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
static_assert(sizeof(Header) == kBlock);

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

// Of the bytes of the header, with blanks instead of the field itself.
int64_t checksum_of(Header header) {
  header.checksum.fill(' ');
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  return std::accumulate(bytes, bytes + kBlock, int64_t{0});
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

Header header_of(const std::string& name, int64_t size) {
  Header header;
  set_name(header, name);
  set_number(header.mode, 0644), set_number(header.user, 0), set_number(header.group, 0);
  set_number(header.size, size), set_number(header.time, 0);
  std::memcpy(header.magic.data(), "ustar", 6), std::memcpy(header.version.data(), "00", 2);
  const std::string sum = fmt::format("{:06o}", checksum_of(header));
  std::copy(sum.begin(), sum.end(), header.checksum.begin());
  header.checksum[7] = ' ';
  return header;
}

void append(std::ofstream& archive, const TarFile& file) {
  const InputMapping content(InputFile::open(file.source));
  const Header header = header_of(file.name, int64_t(content.bytes().size()));
  archive.write(reinterpret_cast<const char*>(&header), kBlock);
  archive.write(reinterpret_cast<const char*>(content.bytes().data()), std::streamsize(content.bytes().size()));
  const std::string padding((kBlock - content.bytes().size() % kBlock) % kBlock, '\0');
  archive.write(padding.data(), std::streamsize(padding.size()));
}

bool is_safe(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

class Extraction {
 public:
  Extraction(const std::string& path, std::string directory, int64_t max_bytes)
      : archive_(path, std::ios::binary), directory_(std::move(directory)), left_(max_bytes) {
    if (!archive_) user_error("it cannot be read: {}", error_text(errno));
  }

  // An archive ends with a block of zeros.
  void run() {
    Header header;
    while (read(reinterpret_cast<char*>(&header), kBlock), header.name[0] != 0) extract(header);
  }

 private:
  std::ifstream archive_;
  std::string directory_;
  int64_t left_;

  void read(char* to, size_t bytes) {
    if (!archive_.read(to, std::streamsize(bytes))) user_error("the archive ends too early");
  }

  void extract(const Header& header) {
    if (text_of(header.magic) != "ustar" && !text_of(header.magic).starts_with("ustar "))
      user_error("it is not an archive in the ustar format");
    if (number_of(header.checksum) != checksum_of(header)) user_error("a header is damaged");
    const std::string prefix = text_of(header.prefix);
    const std::string name = (prefix.empty() ? "" : prefix + "/") + text_of(header.name);
    const std::string shown = escape_for_comment(name, 80);
    if (!is_safe(name)) user_error("the name '{}' could lead out of the folder", shown);
    const int64_t size = number_of(header.size);
    if (header.type == '5' && size == 0) return;
    if (header.type != '0' && header.type != '\0') user_error("'{}' is not a regular file", shown);
    if (size > left_) user_error("its contents are larger than the limit");
    left_ -= size;
    write(directory_ + "/" + name, shown, size);
  }

  // O_EXCL: nothing that exists is opened, so no link is followed.
  void write(const std::string& path, const std::string& shown, int64_t size) {
    if (const int error = make_directories(parent_directory(path))) user_error("'{}': {}", shown, error_text(error));
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) user_error("'{}' cannot be created: {}", shown, error_text(errno));
    std::vector<char> buffer(std::min(size_t(size), kBuffer));
    for (int64_t left = size; left > 0;) {
      const size_t bytes = std::min(size_t(left), buffer.size());
      read(buffer.data(), bytes);
      if (::write(file.get(), buffer.data(), bytes) != ssize_t(bytes))
        user_error("'{}' cannot be written: {}", shown, error_text(errno));
      left -= int64_t(bytes);
    }
    std::array<char, kBlock> padding{};
    read(padding.data(), (kBlock - size_t(size) % kBlock) % kBlock);
  }
};

}  // namespace

void write_tar(const std::string& path, const std::vector<TarFile>& files) {
  const std::string partial = path + ".partial";
  try {
    std::ofstream archive(partial, std::ios::binary | std::ios::trunc);
    for (const TarFile& file : files) append(archive, file);
    const std::string end(2 * kBlock, '\0');
    archive.write(end.data(), std::streamsize(end.size()));
    if (!archive.flush()) user_error("it cannot be written: {}", error_text(errno));
    fs::rename(partial, path);
  } catch (const std::exception& error) {
    remove_tree(partial);
    user_error("{}: {}", path, error.what());
  }
}

void extract_tar(const std::string& path, const std::string& directory, int64_t max_bytes) {
  try {
    Extraction(path, directory, max_bytes).run();
  } catch (const UserError& error) {
    user_error("{}: {}", path, error.what());
  }
}

}  // namespace cppgen
