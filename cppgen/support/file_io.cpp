#include "cppgen/support/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cppgen/support/litter.h"
#include "cppgen/support/private_files.h"
#include "runtime/base/errors.h"

namespace cppgen {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string error_text(int error) {
  char buffer[256] = "";
  return strerror_r(error, buffer, sizeof buffer);
}

namespace {

FileDescriptor open_for_reading(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// Returns why a file is not read; empty if it is, into `content`. Files of /proc have a size of 0, and others may grow.
std::string fault_of_reading(int fd, int64_t most_bytes, std::string& content) {
  struct stat st;
  if (::fstat(fd, &st) != 0) return error_text(errno);
  if (!S_ISREG(st.st_mode)) return "it is not a regular file";
  const auto too_long = [&] { return fmt::format("it has more than {} bytes", most_bytes); };
  if (st.st_size > most_bytes) return too_long();
  content.resize(static_cast<size_t>(st.st_size));
  for (size_t done = 0;;) {
    if (done > static_cast<size_t>(most_bytes)) return too_long();
    if (done == content.size()) content.resize(content.size() + 4096);
    const ssize_t n = ::pread(fd, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error_text(errno);
    if (n == 0) return content.resize(done), "";
    done += static_cast<size_t>(n);
  }
}

}  // namespace

std::optional<std::string> try_read_fd(int fd, int64_t most_bytes) {
  std::string content;
  if (!fault_of_reading(fd, most_bytes, content).empty()) return std::nullopt;
  return content;
}

std::optional<std::string> try_read_file(const std::string& path, int64_t most_bytes) {
  const FileDescriptor fd = open_for_reading(path);
  if (!fd) return std::nullopt;
  return try_read_fd(fd.get(), most_bytes);
}

std::string read_file(const std::string& path, int64_t most_bytes) {
  const FileDescriptor fd = open_for_reading(path);
  if (!fd) user_error("cannot read '{}': {}", path, error_text(errno));
  std::string content;
  if (const std::string fault = fault_of_reading(fd.get(), most_bytes, content); !fault.empty())
    user_error("cannot read '{}': {}", path, fault);
  return content;
}

namespace {

int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// Closing reports what delayed allocation could not store.
int close_checked(FileDescriptor& fd) { return ::close(fd.release()) == 0 ? 0 : errno; }

int write_temp(FileDescriptor& fd, std::string_view content) {
  if (const int error = write_all(fd.get(), content)) return error;
  if (::fsync(fd.get()) != 0) return errno;
  return close_checked(fd);
}

}  // namespace

int write_file(const std::string& path, std::string_view content) {
  FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) return errno;
  if (const int error = write_all(fd.get(), content)) return error;
  return close_checked(fd);
}

int publish_file(const std::string& path, std::string_view content, const std::string& temp_dir) {
  std::string temp = temp_dir + "/publish-XXXXXX";
  LitterEntry litter;
  FileDescriptor fd;
  {
    LitterLock lock;
    fd = FileDescriptor(::mkostemp(temp.data(), O_CLOEXEC));
    if (!fd) return errno;
    litter = lock.file(temp);
  }
  int error = write_temp(fd, content);
  if (!error && ::rename(temp.c_str(), path.c_str()) != 0) error = errno;
  if (error) {
    ::unlink(temp.c_str());
    return error;
  }
  return fsync_directory(parent_directory(path));
}

int publish_file(const std::string& path, std::string_view content) {
  return publish_file(path, content, parent_directory(path));
}

int fsync_directory(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return errno;
  // Some network file systems cannot sync a directory and return EINVAL; the rename has happened nevertheless.
  return ::fsync(fd.get()) == 0 || errno == EINVAL ? 0 : errno;
}

int make_directories(const std::string& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) == 0) return S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
  if (const std::string parent = parent_directory(path); parent != path)
    if (const int error = make_directories(parent)) return error;
  if (::mkdir(path.c_str(), 0755) == 0) return 0;
  const int error = errno;
  const bool by_another = error == EEXIST && ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
  return by_another ? 0 : error;
}

int make_private_directory(const std::string& path, std::string_view what) {
  if (const int error = make_directories(parent_directory(path))) {
    if (error != EEXIST && error != ENOTDIR) return error;
    user_error("{} '{}': one of its parents is not a directory", what, path);
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    const int error = errno;
    if (::access(path.c_str(), F_OK) != 0) return error;
  }
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) return errno;
  if (!S_ISDIR(st.st_mode)) user_error("{} '{}' is not a directory", what, path);
  if (st.st_uid != ::geteuid()) {
    user_error("{} '{}' belongs to user {}, not to you (user {}): choose a directory of your own", what, path,
               st.st_uid, ::geteuid());
  }
  if (st.st_mode & (S_IWGRP | S_IWOTH)) {
    user_error("{} '{}' is writable by {} (mode {:04o}): run chmod 700 on it or choose another directory", what, path,
               (st.st_mode & S_IWOTH) ? "everyone" : "its group", st.st_mode & 07777u);
  }
  check_folders_below(path, what);
  return 0;
}

void remove_tree(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string parent_directory(const std::string& path) {
  const size_t slash =
      path.find_last_not_of('/') == std::string::npos ? 0 : path.find_last_of('/', path.find_last_not_of('/'));
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace cppgen
