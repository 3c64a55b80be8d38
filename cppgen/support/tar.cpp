#include "cppgen/support/tar.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

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

// An archive is read twice: everything about it is checked before anything is written.
class Extraction {
 public:
  Extraction(const std::string& path, std::string directory, int64_t max_bytes)
      : file_(InputFile::open(path)), directory_(std::move(directory)), left_(max_bytes) {}

  // An archive ends with a block of zeros.
  void run() {
    int64_t bytes = 0;
    each_file([&](const Entry& entry) {
      if (entry.size > left_) user_error("its contents are larger than the limit");
      left_ -= entry.size, bytes += entry.size;
      if (!names_.insert(entry.name).second) user_error("the name '{}' occurs twice", entry.shown);
      if (names_.size() > kMostFiles) user_error("it has more than {} files", kMostFiles);
    });
    struct statvfs system;
    const bool known = ::statvfs(directory_.c_str(), &system) == 0 && system.f_blocks > 0;
    if (known && uint64_t(bytes) > uint64_t(system.f_bavail) * system.f_frsize)
      user_error("its contents of {} bytes do not fit into '{}'", bytes, directory_);
    each_file([&](const Entry& entry) { write(entry); });
  }

 private:
  struct Entry {
    std::string name, shown;
    int64_t begin, size;  // in the archive
  };
  static constexpr size_t kMostFiles = 100'000;

  InputFile file_;
  std::string directory_;
  int64_t left_;
  std::set<std::string> names_;

  void read(char* to, size_t bytes, int64_t at) const {
    while (bytes > 0) {
      const ssize_t n = ::pread(file_.descriptor(), to, bytes, off_t(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) user_error("it cannot be read: {}", error_text(errno));
      if (n == 0) user_error("the archive ends too early");
      to += n, bytes -= size_t(n), at += n;
    }
  }

  template <class Visit>
  void each_file(const Visit& visit) const {
    int64_t at = 0;
    for (Header header; read(reinterpret_cast<char*>(&header), kBlock, at), header.name[0] != 0;) {
      const Entry entry = entry_of(header, at + int64_t(kBlock));
      if (entry.size > file_.size() - entry.begin) user_error("the archive ends too early");
      if (header.type != '5') visit(entry);
      at = entry.begin + (entry.size + int64_t(kBlock) - 1) / int64_t(kBlock) * int64_t(kBlock);
    }
  }

  static Entry entry_of(const Header& header, int64_t begin) {
    if (text_of(header.magic) != "ustar" && !text_of(header.magic).starts_with("ustar "))
      user_error("it is not an archive in the ustar format");
    if (number_of(header.checksum) != checksum_of(header)) user_error("a header is damaged");
    const std::string prefix = text_of(header.prefix);
    Entry entry{(prefix.empty() ? "" : prefix + "/") + text_of(header.name), "", begin, number_of(header.size)};
    entry.shown = escape_for_comment(entry.name, 80);
    if (!is_safe(entry.name)) user_error("the name '{}' could lead out of the folder", entry.shown);
    const bool folder = header.type == '5' && entry.size == 0;
    if (!folder && header.type != '0' && header.type != '\0') user_error("'{}' is not a regular file", entry.shown);
    return entry;
  }

  // O_EXCL: nothing that exists is opened, so no link is followed.
  void write(const Entry& entry) const {
    const std::string path = directory_ + "/" + entry.name;
    if (const int error = make_directories(parent_directory(path)))
      user_error("'{}': {}", entry.shown, error_text(error));
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) user_error("'{}' cannot be created: {}", entry.shown, error_text(errno));
    std::vector<char> buffer(std::min(size_t(entry.size), kBuffer));
    for (int64_t done = 0; done < entry.size;) {
      const size_t bytes = std::min(size_t(entry.size - done), buffer.size());
      read(buffer.data(), bytes, entry.begin + done);
      if (::write(file.get(), buffer.data(), bytes) != ssize_t(bytes))
        user_error("'{}' cannot be written: {}", entry.shown, error_text(errno));
      done += int64_t(bytes);
    }
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
