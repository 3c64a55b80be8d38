#include "cppgen/compile/kernel_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "cppgen/compile/cache_entry.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/private_files.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {

namespace fs = std::filesystem;

struct KernelCache::File {
  std::string path;
  std::string key;
  int64_t bytes;
  timespec last_used;
};

namespace {

FileDescriptor open_entry(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

// Removes an entry unless it is pinned.
bool remove_unused(const std::string& path) {
  const FileDescriptor fd = open_entry(path);
  if (!fd || try_lock(fd, LockKind::exclusive) == LockOutcome::busy) return false;
  return ::unlink(path.c_str()) == 0;
}

// The shared lock keeps others from evicting the file; a file already unlinked is not handed out, because its path
// leads nowhere.
std::optional<KernelCache::Pinned> pin(const std::string& path, FileDescriptor fd) {
  struct stat st;
  if (!fd || try_lock(fd, LockKind::shared) == LockOutcome::busy) return std::nullopt;
  if (::fstat(fd.get(), &st) != 0 || st.st_nlink == 0) return std::nullopt;
  return KernelCache::Pinned{path, std::make_shared<FileDescriptor>(std::move(fd))};
}

int descriptor_of(const KernelCache::Pinned& pinned) {
  return static_cast<const FileDescriptor*>(pinned.pin.get())->get();
}

}  // namespace

KernelCache::KernelCache(std::string dir) : dir_(std::move(dir)) {
  if (const int error = make_private_directory(dir_, "the cache directory (CPPGEN_CACHE_DIR)")) {
    unusable_ = fmt::format("'{}': {}", dir_, error_text(error));
    return;
  }
  remove_stale_temp_directories(dir_ + "/tmp", "");
}

std::string KernelCache::entry_path(const std::string& dir, const std::string& key) {
  check(key.size() == 64 && is_hex(key), "KernelCache: not a key");
  return dir + "/kernels/" + key.substr(0, 2) + "/" + key.substr(2) + ".so";
}

std::optional<KernelCache::Pinned> KernelCache::read_entry(const std::string& dir, const KernelKey& key,
                                                           std::string& why) {
  const std::string path = entry_path(dir, key.hex);
  auto pinned = pin(path, open_entry(path));
  if (!pinned) return std::nullopt;
  struct stat st;
  if (::fstat(descriptor_of(*pinned), &st) == 0) why = why_unsafe(st);
  const auto bytes = why.empty() ? try_read_fd(descriptor_of(*pinned)) : std::nullopt;
  if (!bytes && why.empty()) why = "it cannot be read";
  if (bytes && decode_cache_entry(*bytes, key.hex, why)) return pinned;
  log_info("cache entry '{}' is not used: {}", path, why);
  return std::nullopt;
}

std::optional<KernelCache::Pinned> KernelCache::find(const KernelKey& key, bool count_miss) {
  std::string why;
  auto pinned = unusable_.empty() ? read_entry(dir_, key, why) : std::nullopt;
  if (!pinned) {
    misses_ += count_miss;
    if (why.empty()) return std::nullopt;
    ::unlink(entry_path(key.hex).c_str());
    ++rejected_;
    return std::nullopt;
  }
  ::futimens(descriptor_of(*pinned), nullptr);  // "recently used"; a read-only cache keeps its times
  ++hits_;
  return pinned;
}

// An empty string, or why entries cannot be written.
std::string KernelCache::prepare_to_write(const std::string& key) {
  if (!unusable_.empty()) return unusable_;
  for (const std::string& folder : {dir_ + "/tmp", parent_directory(entry_path(key))}) {
    if (const int error = make_directories(folder)) return fmt::format("'{}': {}", folder, error_text(error));
  }
  if (temp_) return "";
  try {
    temp_.emplace(dir_ + "/tmp", "store-");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

KernelCache::Stored KernelCache::store(const KernelKey& key, const std::string& job_name, const std::string& image) {
  std::string reason = prepare_to_write(key.hex);
  if (!reason.empty()) return {std::nullopt, reason};
  const std::string path = entry_path(key.hex);
  const std::string bytes = encode_cache_entry({image, job_name, key.dump}, key.hex);
  if (const int error = publish_file(path, bytes, temp_->path())) {
    return {std::nullopt, fmt::format("'{}': {}", path, error_text(error))};
  }
  ++stored_;
  auto pinned = pin(path, open_entry(path));
  if (!pinned) return {std::nullopt, fmt::format("'{}' was immediately removed by another process", path)};
  return {std::move(pinned), ""};
}

LockFile::Attempt KernelCache::try_build_lock(const KernelKey& key) {
  if (!unusable_.empty() || make_directories(dir_ + "/locks")) return {LockOutcome::unsupported, std::nullopt};
  return LockFile::try_acquire(dir_ + "/locks/" + key.hex + ".lock");
}

std::vector<KernelCache::File> KernelCache::files() const {
  std::vector<File> result;
  std::error_code error;
  for (fs::recursive_directory_iterator it(dir_ + "/kernels", error), end; !error && it != end; it.increment(error)) {
    struct stat st;
    const fs::path& path = it->path();
    if (path.extension() != ".so" || ::lstat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    const std::string key = path.parent_path().filename().string() + path.stem().string();
    if (key.size() != 64 || !is_hex(key)) continue;
    result.push_back({path.string(), key, st.st_size, st.st_mtim});
  }
  std::sort(result.begin(), result.end(), [](const File& a, const File& b) {
    return std::tie(a.last_used.tv_sec, a.last_used.tv_nsec, a.key) >
           std::tie(b.last_used.tv_sec, b.last_used.tv_nsec, b.key);
  });
  return result;
}

std::vector<KernelCache::Entry> KernelCache::list() const {
  std::vector<Entry> entries;
  for (const File& file : files()) {
    Entry entry{file.key, "", "", file.bytes, file.last_used.tv_sec};
    const auto bytes = try_read_file(file.path);
    if (const auto view = bytes ? decode_cache_description(*bytes) : std::nullopt) {
      entry.name = view->name;
      entry.key_dump = view->key_dump;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

KernelCache::Stats KernelCache::stats() const {
  Stats stats{0, 0, hits_, misses_, stored_, rejected_};
  for (const File& file : files()) {
    ++stats.entries;
    stats.bytes += file.bytes;
  }
  return stats;
}

int64_t KernelCache::clear() {
  int64_t removed = 0;
  for (const File& file : files()) removed += remove_unused(file.path);
  for (const char* folder : {"/failed", "/sources", "/asm", "/probes"}) remove_tree(dir_ + folder);
  clear_published_headers(dir_);
  return removed;
}

int64_t KernelCache::trim(int64_t limit_bytes) {
  std::vector<File> all = files();
  int64_t total = 0, removed = 0;
  for (const File& file : all) total += file.bytes;
  for (; total > limit_bytes && !all.empty(); all.pop_back()) {
    if (!remove_unused(all.back().path)) continue;
    total -= all.back().bytes;
    ++removed;
  }
  return removed;
}

std::vector<std::string> KernelCache::explain_miss(const KernelKey& key) const {
  std::optional<std::vector<std::string>> best;
  for (const Entry& entry : list()) {
    auto differences = compare_key_dumps(entry.key_dump, key.dump);
    if (!best || differences.size() < best->size()) best = std::move(differences);
  }
  return best ? std::move(*best) : std::vector<std::string>();
}

std::optional<std::string> KernelCache::keep_source(const KernelKey& key, const std::string& source) {
  const std::string path = dir_ + "/failed/" + key.hex.substr(0, 16) + ".cpp";
  if (!unusable_.empty() || make_directories(parent_directory(path)) || write_file(path, source)) return std::nullopt;
  return path;
}

}  // namespace cppgen
