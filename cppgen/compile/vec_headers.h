#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen {

// A header that emitted kernels include; `path` is as in their #include line ("vec/...", "runtime/abi/..."). Or the
// archive of tiles that they are linked with, kTilesArchive.
struct EmbeddedFile {
  std::string_view path;
  std::string_view content;
};

constexpr std::string_view kTilesArchive = "vec/finished_tiles.a";

// The headers as they were when this library was built, sorted by path.
const std::vector<EmbeddedFile>& embedded_headers();
// The archive (vec/CMakeLists.txt); empty if the architecture has none.
std::string_view embedded_tiles();

// SHA-256 over paths and contents, with those of the archive.
const std::string& embedded_headers_hash();

// The root of the source tree that this library was built from. It may be gone.
const std::string& built_source_tree();
// `root`, if kernel headers are there; else UserError that names INCLUDE_FROM_SOURCETREE.
std::string usable_source_tree(const std::string& root = built_source_tree());

// Writes all embedded headers, without the archive, below `dir`. UserError if that fails.
void write_embedded_headers(const std::string& dir);

// The folder for -I, which may also hold the archive of tiles, and its content's hash. The hash is known at once; files
// are written by the first call of path().
class VecHeaders {
 public:
  // Headers from an existing folder that contains vec/ and runtime/abi/. UserError if it does not.
  static VecHeaders from_directory(const std::string& dir);
  // The embedded ones, published below "<cache_dir>/include/<hash>", or in a temporary directory if cache_dir is empty
  // or cannot be written.
  static VecHeaders embedded(const std::string& cache_dir);

  // from_directory(include_dir), or embedded(cache_dir) if include_dir is empty.
  static VecHeaders choose(const std::string& include_dir, const std::string& cache_dir);

  const std::string& hash() const { return hash_; }
  // UserError if no directory can be written.
  const std::string& path();
  // The archive in a folder of headers; nothing if there is none, as in a source tree.
  static std::optional<std::string> tiles_in(const std::string& folder);
  // True if the folder is removed with this object.
  bool is_temporary() const { return temp_ != nullptr; }
  // Keeps a temporary folder on disk.
  void keep();

 private:
  bool publish();
  std::string hash_;
  std::string path_;
  std::string cache_dir_;
  FileDescriptor pin_;  // shared lock: no process clears the folder while a compiler uses it
  std::unique_ptr<TempDirectory> temp_;
};

// Removes published header folders that no process uses.
void clear_published_headers(const std::string& cache_dir);

}  // namespace cppgen
