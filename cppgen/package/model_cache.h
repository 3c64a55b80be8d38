#pragma once
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/support/external_files.h"

namespace cppgen::package {

// Whole compiled models by what they were made from, below "<cache_dir>/models/<model key>/<weights key>/": a package
// each. The model key covers the bytes of the .onnx file and everything that changes its code; the weights key the
// bytes of external data that it refers to, whose places are listed beside the packages. So a warm start hashes files
// and parses nothing. Shared by any number of processes: packages appear and vanish whole, and stay while somebody
// opens them. Nothing here fails because of the disk, and a package that turns out to be damaged is made anew.
//
// Nothing but the manifest is synced to disk. After a loss of power any file may be empty, short or old, the manifest
// too; then the marker beside the package is of an earlier boot or damaged itself, so the loader is told to trust
// nothing and compares every file with the manifest's hashes: a package that lost something is a damaged one.
class ModelCache {
 public:
  // `folder`: where the model's external files are.
  ModelCache(std::string cache_dir, std::string model_key, std::string folder);

  struct Entry {
    std::string package;  // directory
    // Weights were written since this machine started and have not been touched since: their sizes suffice.
    bool trusted = false;
    std::shared_ptr<const void> pin;  // while it lives no process removes the package
  };
  // The package for the present content of all files; marked as recently used.
  std::optional<Entry> find() const;

  // What people are told of an entry, one line each.
  struct Description {
    std::string model;                  // path of the .onnx file
    std::vector<std::string> settings;  // NAME=VALUE of those that are in the key and not the default; dimensions
  };
  struct Published {
    std::optional<Entry> entry;
    std::string reason;  // why there is none
  };
  // Publishes a package: `write` fills a new directory, which is then renamed into place; with `replace` in the place
  // of the one that is there. `weights_key` is the content_key() of the files that the model was made from.
  Published publish(const ExternalFiles&, const std::string& weights_key, const Description&,
                    const std::function<void(const std::string&)>& write, bool replace);

  // Everything that is cached.
  struct Listed {
    std::string key;  // "<model key>/<weights key>"
    std::string package;
    Description about;
    int64_t bytes = 0;  // of its files; equal weights of several packages are one file
    time_t last_used = 0;
  };
  static std::vector<Listed> list(const std::string& cache_dir);  // most recently used first
  static int64_t stored_bytes(const std::string& cache_dir);      // of all packages; a shared file counts once

  // Removes packages that nobody opens right now; returns how many.
  static int64_t clear(const std::string& cache_dir);
  // Removes the least recently used ones until all take at most `limit_bytes`; returns how many.
  static int64_t trim(const std::string& cache_dir, int64_t limit_bytes);

 private:
  std::string cache_dir_, root_, folder_;
  Published place(const std::string& staged, const std::string& aside, const std::string& weights_key, bool replace);
};

}  // namespace cppgen::package
