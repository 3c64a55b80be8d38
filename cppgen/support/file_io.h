#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cppgen {

// An open file descriptor that is closed with its owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// Only regular files are read, and only up to a number of bytes: a device or a pipe may never end, and opening a pipe
// may block.
inline constexpr int64_t kMostFileBytes = int64_t{1} << 30;

// The whole content. UserError naming the path if it cannot be read, is not a regular file or has more bytes.
std::string read_file(const std::string& path, int64_t most_bytes = kMostFileBytes);
// The whole content, or nullopt if the file does not exist or in one of these cases.
std::optional<std::string> try_read_file(const std::string& path, int64_t most_bytes = kMostFileBytes);
// The content of an open file, from its start.
std::optional<std::string> try_read_fd(int fd, int64_t most_bytes = kMostFileBytes);

// All-or-nothing operations below return an errno value, 0 for success: a full disk or a read-only directory is an
// expected event for their callers.

// Creates or truncates `path` and writes `content`; no durability promise.
[[nodiscard]] int write_file(const std::string& path, std::string_view content);
// Writes to a new file in `temp_dir` (same file system as `path`), fsync, rename to `path`, fsync of its directory.
// Readers see the old content, or the new one whole. Leaves no temporary file behind unless the process is killed.
[[nodiscard]] int publish_file(const std::string& path, std::string_view content, const std::string& temp_dir);
// publish_file with the temporary file next to `path`.
[[nodiscard]] int publish_file(const std::string& path, std::string_view content);
[[nodiscard]] int fsync_directory(const std::string& path);
// mkdir -p, with permission to write only for this user, whatever the umask says: folders of the cache hold code. An
// existing directory is success.
[[nodiscard]] int make_directories(const std::string& path);

// Creates `path` (and its parents) with mode 0700. Returns errno if it neither exists nor can be created. UserError if
// it exists but is not a directory, belongs to another user, or is writable by group or others, or if others can change
// a folder below it (private_files.h): such a directory could feed this process foreign machine code. `what` names the
// setting in the message.
[[nodiscard]] int make_private_directory(const std::string& path, std::string_view what);

void remove_tree(const std::string& path);  // best effort; never follows links
std::string parent_directory(const std::string& path);
std::string error_text(int error);  // strerror, thread safe

}  // namespace cppgen
