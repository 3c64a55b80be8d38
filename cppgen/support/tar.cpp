#include "cppgen/support/tar.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "cppgen/support/file_io.h"
#include "cppgen/support/input_file.h"
#include "cppgen/support/tar_header.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr size_t kBuffer = size_t{1} << 20;

void append(std::ofstream& archive, const TarFile& file) {
  const InputMapping content(InputFile::open(file.source));
  const auto bytes = int64_t(content.bytes().size());
  archive.write(tar_header(file.name, bytes).data(), kTarBlock);
  archive.write(reinterpret_cast<const char*>(content.bytes().data()), bytes);
  const std::string padding(size_t(padded_to_blocks(bytes) - bytes), '\0');
  archive.write(padding.data(), std::streamsize(padding.size()));
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
  struct Entry : TarEntry {
    int64_t begin = 0;  // in the archive
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
    TarBlock block;
    for (int64_t at = 0;;) {
      read(block.data(), block.size(), at);
      const std::optional<TarEntry> found = parse_tar_header(block);
      if (!found) return;
      const Entry entry{*found, at + kTarBlock};
      if (entry.size > file_.size() - entry.begin) user_error("the archive ends too early");
      if (!entry.is_folder) visit(entry);
      at = entry.begin + padded_to_blocks(entry.size);
    }
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
    const std::string end(size_t(2 * kTarBlock), '\0');
    archive.write(end.data(), std::streamsize(end.size()));
    if (!archive.flush()) user_error("it cannot be written: {}", error_text(errno));
    std::filesystem::rename(partial, path);
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
