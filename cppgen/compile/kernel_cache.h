#pragma once
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/kernel_key.h"
#include "cppgen/support/file_lock.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen {

// Compiled kernels by key, one file "<dir>/kernels/<2 hex>/<62 hex>.so" each (format: cache_entry.h). Shared by any
// number of processes: entries appear and vanish whole, are verified when found, and stay while somebody uses them.
// Nothing here fails because of the disk: an entry that cannot be read is a miss, one that cannot be written is
// reported to the caller, who goes on with the object he has. One object per thread.
class KernelCache {
 public:
  // Makes `dir` (mode 0700) when needed and removes what killed processes left. UserError when `dir` exists but is no
  // private directory of this user. With a directory that cannot be made, nothing is found and store() says why.
  explicit KernelCache(std::string dir);

  struct Pinned {
    std::string path;
    std::shared_ptr<const void> pin;  // while it lives no process evicts the file
  };
  // The verified entry, marked as recently used. A damaged one is removed and counts as absent.
  // `count_miss`: false for looking again.
  std::optional<Pinned> find(const KernelKey& key, bool count_miss = true);

  struct Stored {
    std::optional<Pinned> entry;
    std::string reason;  // why there is none
  };
  // Publishes an ELF image under the key, replacing what is there.
  Stored store(const KernelKey& key, const std::string& job_name, const std::string& image);

  // The lock that says "I am building this": it only saves work.
  LockFile::Attempt try_build_lock(const KernelKey& key);

  struct Entry {
    std::string key;
    std::string name;  // of the job that built it
    std::string key_dump;
    int64_t bytes = 0;
    time_t last_used = 0;
  };
  std::vector<Entry> list() const;  // most recently used first
  struct Stats {
    int64_t entries = 0;
    int64_t bytes = 0;
    // of this object
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t stored = 0;
    int64_t rejected = 0;  // damaged entries met
  };
  Stats stats() const;
  // Removes entries that nobody uses, kept sources, probe results and published headers; returns how many entries.
  int64_t clear();
  // Drops least recently used entries until their sizes sum to at most `limit_bytes`; returns how many.
  int64_t trim(int64_t limit_bytes);
  // Compares the key with the stored entry most like it: "flags: was ..., is ...". Empty without entries.
  std::vector<std::string> explain_miss(const KernelKey& key) const;

  // Writes the source of a failed unit to "<dir>/failed/<16 hex>.cpp"; returns the path, or nothing.
  std::optional<std::string> keep_source(const KernelKey& key, const std::string& source);

  const std::string& dir() const { return dir_; }

 private:
  struct File;
  std::string entry_path(const std::string& key) const;
  std::string prepare_to_write(const std::string& key);
  std::optional<Pinned> pin(const std::string& path, FileDescriptor fd) const;
  std::vector<File> files() const;

  std::string dir_;
  std::string unusable_;               // why dir_ could not be made; then it is neither read nor written
  std::optional<TempDirectory> temp_;  // of unpublished files; made by the first store
  int64_t hits_ = 0, misses_ = 0, stored_ = 0, rejected_ = 0;
};

}  // namespace cppgen
