#pragma once
#include <memory>
#include <span>
#include <string>

#include "runtime/memory/mapping.h"

namespace cppgen::rt {

// A shared object of a package. It is opened once, so what is hashed is what is loaded, whatever its path leads to
// then. Unless it is loaded in place, it is copied into memory that nobody can change any more: another process that
// writes or truncates the file has no effect on it.
class ObjectFile {
 public:
  // `in_place`: for files that are never changed, such as those of this user's own cache; others are copied anyway if
  // somebody else could write them. UserError, naming the path, if it cannot be opened or is not a regular file.
  ObjectFile(const std::string& path, bool in_place);

  // A copy of a content in memory; `path` is for messages.
  ObjectFile(std::span<const char> content, const std::string& path);

  std::span<const char> content() const { return mapping_.content(); }

  // The handle of dlopen, until the last copy of the pointer is gone. UserError naming the path.
  std::shared_ptr<void> load() const;

 private:
  std::string path_;
  std::shared_ptr<const int> file_;
  MappedFile mapping_;
};

}  // namespace cppgen::rt
