#pragma once
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/support/external_files.h"

namespace cppgen::package {

// Whole compiled models, keyed by what they were made from: one package each, in "<cache_dir>/models/<model
// key>/<weights key>/". The model key covers the bytes of the .onnx file and everything that changes its code; the
// weights key covers the bytes of external data that it refers to, whose locations are listed next to the packages. So
// a warm start hashes files and parses nothing. Shared by any number of processes: packages appear and disappear
// atomically, and are kept while they are in use. Disk errors are not failures, and a package that turns out to be
// damaged is made again.
//
// Only the manifest is synced to disk. After a power failure any file, even the manifest, may be empty, truncated or
// old; the marker next to the package is then from an earlier boot or itself damaged, so the loader trusts nothing and
// compares every file with the manifest's hashes: an incomplete package counts as damaged.
class ModelCache {
 public:
  // `folder`: the directory of the model's external files.
  ModelCache(std::string cache_dir, std::string model_key, std::string folder);

  struct Entry {
    std::string package;  // directory
    // Weights were written since this machine started and have not changed since: checking their sizes is enough.
    bool trusted = false;
    std::shared_ptr<const void> pin;  // while it exists, no process removes the package
  };
  // The package for the current contents of all files; marked as recently used.
  std::optional<Entry> find() const;

  // The description of an entry for listings, one line each.
  struct Description {
    std::string model;                  // path of the .onnx file
    std::vector<std::string> settings;  // NAME=VALUE of settings in the key that are not the default; dimensions
  };
  struct Published {
    std::optional<Entry> entry;
    std::string reason;  // the reason if there is none
  };
  // Publishes a package: `write` fills a new directory, which is then renamed into place; with `replace`, it replaces
  // an existing one. `weights_key` is the content_key() of the files that the model was made from.
  Published publish(const ExternalFiles&, const std::string& weights_key, const Description&,
                    const std::function<void(const std::string&)>& write, bool replace);

  // All cached packages.
  struct Listed {
    std::string key;  // "<model key>/<weights key>"
    std::string package;
    Description about;
    int64_t bytes = 0;  // size of its files; equal weights of several packages are one file
    time_t last_used = 0;
    long last_used_nanoseconds = 0;  // of that second
  };
  static std::vector<Listed> list(const std::string& cache_dir);  // most recently used first
  static int64_t stored_bytes(const std::string& cache_dir);  // total size of all packages; a shared file counts once

  // Removes packages that are not in use; returns their number.
  static int64_t clear(const std::string& cache_dir);
  // Removes least recently used packages until the total size is at most `limit_bytes`; returns their number.
  static int64_t trim(const std::string& cache_dir, int64_t limit_bytes);

 private:
  std::string cache_dir_, root_, folder_;
  Published place(const std::string& staged, const std::string& aside, const std::string& weights_key, bool replace);
};

}  // namespace cppgen::package
