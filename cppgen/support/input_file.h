#pragma once
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cppgen/support/file_io.h"

namespace cppgen {

// A regular file, opened once for reading: later operations apply to this file, whatever its path refers to by then.
// Opening never blocks: a FIFO, a device or a directory is refused.
class InputFile {
 public:
  // UserError without the path, which callers add.
  static InputFile open(const std::string& path);

  // A file of a model: `location` is a path below `folder`, not absolute, without "..", and no symbolic link on the way
  // may lead out of the folder. UserError with the location.
  static InputFile open_below(const std::string& folder, const std::string& location);

  int64_t size() const { return status_.st_size; }
  int descriptor() const { return file_.get(); }

  // Returns whether the file may have been written, replaced or removed since it was opened, by device, inode, size and
  // times.
  bool may_have_changed() const;
  // Times have the resolution of the system's clock ticks. Waits until the last change is some ticks ago, so that a
  // further change can be detected.
  void settle();

  // All current bytes. UserError if the file became shorter.
  std::string read() const;

 private:
  FileDescriptor file_;
  struct stat status_ {};
};

// A file mapped read-only, together with the open file.
class InputMapping {
 public:
  explicit InputMapping(InputFile);  // UserError, without the path
  ~InputMapping();
  InputMapping(const InputMapping&) = delete;
  InputMapping& operator=(const InputMapping&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_t(file_.size())}; }  // null when empty
  const InputFile& file() const { return file_; }

 private:
  InputFile file_;
  const std::byte* data_ = nullptr;
};

}  // namespace cppgen
