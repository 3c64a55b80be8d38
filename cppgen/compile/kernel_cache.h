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

// Compiled kernels by key, one file "<dir>/kernels/<2 hex>/<62 hex>.so" each (format: cache_entry.h): shared objects,
// and objects of --emit, whose keys contain "-c". Shared by any number of processes: entries appear and disappear
// atomically, are verified when found, and are kept while they are in use. Disk errors are not failures: an entry that
// cannot be read is a miss; one that cannot be written is reported to the caller, which continues with its own object.
// One object per thread.
class KernelCache {
 public:
  // Creates `dir` (mode 0700) if needed and removes files that killed processes left. UserError if `dir` exists but is
  // not a private directory of this user. If the directory cannot be created, nothing is found and store() returns the
  // reason.
  explicit KernelCache(std::string dir);

  struct Pinned {
    std::string path;
    std::shared_ptr<const void> pin;  // while it exists, no process evicts the file
  };
  // The verified entry of a cache in `dir`; nullopt, with the reason in `why` if there is an entry that is damaged.
  // Nothing is written.
  static std::optional<Pinned> read_entry(const std::string& dir, const KernelKey& key, std::string& why);
  static std::string entry_path(const std::string& dir, const std::string& key);

  // The verified entry, marked as recently used. A damaged one is removed and counts as absent. `count_miss`: false for
  // a repeated lookup.
  std::optional<Pinned> find(const KernelKey& key, bool count_miss = true);

  struct Stored {
    std::optional<Pinned> entry;
    std::string reason;  // the reason if there is none
  };
  // Publishes an ELF image under the key, replacing any existing entry.
  Stored store(const KernelKey& key, const std::string& job_name, const std::string& image);

  // The lock that announces that this entry is being built: it only avoids duplicate work.
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
    // counted by this object
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t stored = 0;
    int64_t rejected = 0;  // damaged entries met
  };
  Stats stats() const;
  // Removes entries that are not in use, kept sources, assembly, probe results and published headers; returns the
  // number of entries.
  int64_t clear();
  // Removes least recently used entries until the total size is at most `limit_bytes`; returns their number.
  int64_t trim(int64_t limit_bytes);
  // Compares the key with the stored entry most like it: "flags: was ..., is ...". Empty without entries.
  std::vector<std::string> explain_miss(const KernelKey& key) const;

  // Writes the source of a failed unit to "<dir>/failed/<16 hex>.cpp"; returns the path, or nullopt.
  std::optional<std::string> keep_source(const KernelKey& key, const std::string& source);

  const std::string& dir() const { return dir_; }

 private:
  struct File;
  std::string entry_path(const std::string& key) const { return entry_path(dir_, key); }
  std::string prepare_to_write(const std::string& key);
  std::vector<File> files() const;

  std::string dir_;
  std::string unusable_;               // why dir_ could not be created; then it is neither read nor written
  std::optional<TempDirectory> temp_;  // of unpublished files; made by the first store
  int64_t hits_ = 0, misses_ = 0, stored_ = 0, rejected_ = 0;
};

}  // namespace cppgen
