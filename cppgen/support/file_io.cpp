#include "cppgen/support/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cppgen/support/litter.h"
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

std::optional<std::string> try_read_fd(int fd) {
  struct stat st;
  if (::fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) return std::nullopt;
  std::string content(static_cast<size_t>(st.st_size), '\0');
  size_t done = 0;
  for (;;) {
    if (done == content.size()) content.resize(content.size() + 4096);  // grew, or a size-less file (/proc)
    const ssize_t n = ::pread(fd, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  content.resize(done);
  return content;
}

std::optional<std::string> try_read_file(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  return try_read_fd(fd.get());
}

std::string read_file(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) user_error("cannot read '{}': {}", path, error_text(errno));
  auto content = try_read_fd(fd.get());
  if (!content) user_error("cannot read '{}': not a readable file", path);
  return std::move(*content);
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
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error.value();
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
