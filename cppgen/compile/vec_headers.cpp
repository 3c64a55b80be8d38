#include "cppgen/compile/vec_headers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/support/file_lock.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/errors.h"

// embed_headers.cmake
extern const char cppgen_kernel_tiles[], cppgen_kernel_tiles_end[], cppgen_kernel_tiles_sha256[];

namespace cppgen {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolders[] = {"vec", "runtime/abi"};

struct HeaderFile {
  std::string path;
  std::string content;  // of the archive, which is large, its SHA-256
};

std::string hash_of(const std::vector<HeaderFile>& files) {
  Hasher hasher;
  for (const HeaderFile& file : files) hasher.field("path", file.path).field("content", file.content);
  return hasher.hex();
}

bool is_read(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".def" || extension == ".inc" ||
         path.filename() == fs::path(kTilesArchive).filename();
}

std::vector<HeaderFile> read_headers(const std::string& dir) {
  std::vector<HeaderFile> files;
  for (const char* folder : kFolders) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(dir + "/" + folder, error), end; !error && it != end;
         it.increment(error)) {
      if (!it->is_regular_file() || !is_read(it->path())) continue;
      const std::string path = it->path().lexically_relative(dir).generic_string();
      const std::string content = read_file(it->path().string());
      files.push_back({path, path == kTilesArchive ? sha256_hex(content) : content});
    }
    if (error) user_error("cannot read the kernel headers '{}/{}': {}", dir, folder, error.message());
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<EmbeddedFile> embedded_files() {
  std::vector<EmbeddedFile> files = embedded_headers();
  if (!embedded_tiles().empty()) files.push_back({kTilesArchive, embedded_tiles()});
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

// Computed when the archive was made, because every start of the compiler needs it.
std::string_view embedded_tiles_hash() { return {cppgen_kernel_tiles_sha256, 64}; }

// An errno value.
int write_files(const std::vector<EmbeddedFile>& files, const std::string& dir) {
  for (const EmbeddedFile& file : files) {
    const std::string path = dir + "/" + std::string(file.path);
    if (const int error = make_directories(parent_directory(path))) return error;
    if (const int error = write_file(path, file.content)) return error;
  }
  return 0;
}

bool holds_embedded(const std::string& dir) {
  const std::vector<EmbeddedFile> files = embedded_files();
  return std::all_of(files.begin(), files.end(), [&](const EmbeddedFile& file) {
    return try_read_file(dir + "/" + std::string(file.path)) == file.content;
  });
}

// Opens a folder with a shared lock; nothing when it does not exist or is being removed.
FileDescriptor pin_folder(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat st;
  if (!fd || try_lock(fd, LockKind::shared) == LockOutcome::busy) return {};
  if (::fstat(fd.get(), &st) != 0 || st.st_nlink == 0) return {};
  return fd;
}

void write_all(const std::vector<EmbeddedFile>& files, const std::string& dir) {
  if (const int error = write_files(files, dir))
    user_error("cannot write kernel headers to '{}': {}", dir, error_text(error));
}

std::string include_root(const std::string& cache_dir) { return cache_dir + "/include"; }

}  // namespace

std::string_view embedded_tiles() { return {cppgen_kernel_tiles, cppgen_kernel_tiles_end}; }

const std::string& embedded_headers_hash() {
  static const std::string hash = [] {
    std::vector<HeaderFile> files;
    for (const EmbeddedFile& file : embedded_files())
      files.push_back(
          {std::string(file.path), std::string(file.path == kTilesArchive ? embedded_tiles_hash() : file.content)});
    return hash_of(files);
  }();
  return hash;
}

std::string usable_source_tree(const std::string& root) {
  for (const char* folder : kFolders)
    if (std::error_code error; !fs::is_directory(root + "/" + folder, error))
      user_error("INCLUDE_FROM_SOURCETREE=1, but '{}/{}' is gone: cppgen was built from the source tree '{}'", root,
                 folder, root);
  return root;
}

void write_embedded_headers(const std::string& dir) { write_all(embedded_headers(), dir); }

VecHeaders VecHeaders::from_directory(const std::string& dir) {
  VecHeaders result;
  const std::vector<HeaderFile> files = read_headers(dir);
  if (files.empty()) user_error("'{}' holds no kernel headers: it must contain vec/ and runtime/abi/", dir);
  result.hash_ = hash_of(files);
  result.path_ = fs::absolute(dir).string();
  return result;
}

VecHeaders VecHeaders::embedded(const std::string& cache_dir) {
  VecHeaders result;
  result.hash_ = embedded_headers_hash();
  result.cache_dir_ = cache_dir;
  return result;
}

VecHeaders VecHeaders::choose(const std::string& include_dir, const std::string& cache_dir) {
  return include_dir.empty() ? embedded(cache_dir) : from_directory(include_dir);
}

const std::string& VecHeaders::path() {
  if (!path_.empty()) return path_;
  if (!cache_dir_.empty() && publish()) return path_;
  temp_ = std::make_unique<TempDirectory>(system_temp_directory(), "cppgen-kernels-");
  write_all(embedded_files(), temp_->path());
  path_ = temp_->path();
  return path_;
}

std::optional<std::string> VecHeaders::tiles_in(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kTilesArchive);
  std::error_code error;
  return fs::exists(path, error) ? std::optional(path) : std::nullopt;
}

void VecHeaders::keep() {
  if (!temp_) return;
  path_ = temp_->keep_as("cppgen_failed-");
  temp_.reset();
}

// Makes sure that the published folder exists with exactly these contents and pins it. A folder is renamed into place
// whole; a damaged one is moved away first.
bool VecHeaders::publish() {
  const std::string target = include_root(cache_dir_) + "/" + hash_;
  for (int attempt = 0; attempt < 3; ++attempt) {
    pin_ = pin_folder(target);
    if (pin_ && holds_embedded(target)) {
      path_ = target;
      return true;
    }
    try {
      if (make_directories(include_root(cache_dir_)) || make_directories(cache_dir_ + "/tmp")) return false;
      const TempDirectory work(cache_dir_ + "/tmp", "include-");
      if (write_files(embedded_files(), work.path() + "/new")) return false;
      if (pin_ && ::rename(target.c_str(), (work.path() + "/damaged").c_str()) != 0) return false;
      pin_.reset();
      // Fails when another process was faster: its folder is checked in the next round.
      if (::rename((work.path() + "/new").c_str(), target.c_str()) == 0)
        (void)fsync_directory(include_root(cache_dir_));
    } catch (const UserError&) {
      return false;
    }
  }
  return false;
}

void clear_published_headers(const std::string& cache_dir) {
  std::error_code error;
  for (fs::directory_iterator it(include_root(cache_dir), error), end; !error && it != end; it.increment(error)) {
    const FileDescriptor fd(::open(it->path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd && try_lock(fd, LockKind::exclusive) != LockOutcome::busy) remove_tree(it->path().string());
  }
}

}  // namespace cppgen
