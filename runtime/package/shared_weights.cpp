#include "runtime/package/shared_weights.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace cppgen::rt {
namespace {

// The identity of a file, which stays the same while it is unchanged, its hash as the manifest states it, and the kind
// of memory.
using Identity = std::tuple<dev_t, ino_t, off_t, int64_t, int64_t, int64_t, int64_t, std::string, bool, bool>;

std::optional<Identity> identity_of(const std::string& path, const ManifestFile& file, const MapOptions& kind) {
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) return std::nullopt;
  return Identity(st.st_dev, st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec,
                  st.st_ctim.tv_nsec, file.hash, kind.huge_pages, kind.on_memory != nullptr);
}

struct Held {
  std::weak_ptr<const MappedFile> content;
  bool verified = false;
};

class HeldWeights {
 public:
  std::shared_ptr<const MappedFile> find(const Identity& identity, bool verified) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(identity);
    if (found == held_.end() || (verified && !found->second.verified)) return nullptr;
    return found->second.content.lock();
  }
  void keep(const Identity& identity, const std::shared_ptr<const MappedFile>& content, bool verified) {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [](const auto& entry) { return entry.second.content.expired(); });
    held_[identity] = {content, verified};
  }

 private:
  std::mutex mutex_;
  std::map<Identity, Held> held_;
};

// Never destroyed: threads may load and free sessions while the process ends.
HeldWeights& held_weights() {
  static auto* const held = new HeldWeights;
  return *held;
}

}  // namespace

std::shared_ptr<const MappedFile> shared_weights(const std::string& path, const ManifestFile& file, bool verified,
                                                 const MapOptions& kind, const std::function<MappedFile()>& read) {
  const std::optional<Identity> before = identity_of(path, file, kind);
  if (before)
    if (auto held = held_weights().find(*before, verified)) return held;
  auto content = std::make_shared<const MappedFile>(read());
  if (before && before == identity_of(path, file, kind)) held_weights().keep(*before, content, verified);
  return content;
}

}  // namespace cppgen::rt
