#pragma once
#include <string>

#include "cppgen/support/file_io.h"
#include "cppgen/support/litter.h"

namespace cppgen {

// A private directory (mode 0700) that is removed with its owner. It is locked during its lifetime, so that other
// processes can distinguish it from one whose owner was killed: see remove_stale_temp_directories.
class TempDirectory {
 public:
  // Creates "<parent>/<prefix>XXXXXX". UserError naming `parent` if it cannot be created.
  TempDirectory(const std::string& parent, const std::string& prefix);
  ~TempDirectory();
  TempDirectory(TempDirectory&&) noexcept;
  TempDirectory& operator=(TempDirectory&&) = delete;

  const std::string& path() const { return path_; }
  // Leaves the directory on disk as "<parent>/<prefix>XXXXXX", which does not count as stale for other prefixes, and
  // releases it. Returns the path (the old one if it cannot be renamed).
  std::string keep_as(const std::string& prefix);

 private:
  std::string path_;
  LitterEntry litter_;
  FileDescriptor lock_;
};

// $TMPDIR, or /tmp.
std::string system_temp_directory();

// Removes the directories "<parent>/<prefix>*" of this user whose owner no longer exists, or that are older than a day
// on a file system without locks. Returns their number.
int remove_stale_temp_directories(const std::string& parent, const std::string& prefix);

// Returns where temporary files of this prefix go, without those that killed processes left there.
std::string cleaned_temp_directory(const std::string& prefix);

}  // namespace cppgen
