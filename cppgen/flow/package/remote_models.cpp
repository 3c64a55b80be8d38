#include "cppgen/flow/package/remote_models.h"

#include <algorithm>
#include <filesystem>

#include "cppgen/compile/cache_entry.h"
#include "cppgen/support/tar.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen {
namespace {

constexpr const char* kArchivePrefix = "cppgen-kernels-";  // the compile pool removes what killed processes leave

// The regular files of a package, sorted by name; none if they are too many bytes.
std::vector<TarFile> files_of(const std::string& package) {
  std::vector<TarFile> files;
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(package)) {
    if (!entry.is_regular_file()) continue;
    files.push_back({entry.path().lexically_relative(package).generic_string(), entry.path().string()});
    bytes += int64_t(entry.file_size());
  }
  if (bytes > RemoteModels::kMostPackageBytes) return {};
  std::sort(files.begin(), files.end(), [](const TarFile& a, const TarFile& b) { return a.name < b.name; });
  return files;
}

void unpack(std::string_view archive, const std::string& directory) {
  const TempDirectory folder(system_temp_directory(), kArchivePrefix);
  const std::string path = folder.path() + "/package.tar";
  if (const int error = write_file(path, std::string(archive)))
    user_error("'{}' cannot be written: {}", path, error_text(error));
  extract_tar(path, directory, RemoteModels::kMostPackageBytes);
}

}  // namespace

std::optional<package::ModelCache::Entry> RemoteModels::fetch(package::ModelCache& cache, const std::string& folder,
                                                              const package::ModelCache::Description& about,
                                                              const std::function<bool()>& usable) {
  const auto bytes = store_.get(name_);
  if (!bytes) return std::nullopt;
  std::string why;
  const auto entry = decode_cache_entry(*bytes, key_, why);
  const auto external = entry ? ExternalFiles::from_list(folder, std::string(entry->key_dump)) : std::nullopt;
  const std::string weights_key = external ? external->content_key(usable_cpus()) : "";
  if (!external || weights_key != entry->name) {
    log_info("the entry {} of the remote cache is not used: {}", name_, entry ? "it has other weights" : why);
    return std::nullopt;
  }
  if (!usable()) return std::nullopt;
  const auto published = cache.publish(
      *external, weights_key, about, [&](const std::string& directory) { unpack(entry->image, directory); }, false);
  if (!published.reason.empty()) log_info("the entry {} of the remote cache is not used: {}", name_, published.reason);
  return published.entry;
}

void RemoteModels::store(const std::string& package, const ExternalFiles& external, const std::string& weights_key) {
  try {
    const std::vector<TarFile> files = files_of(package);
    if (files.empty()) return log_info("{} is not written to the remote cache: it is too large", name_);
    const TempDirectory folder(system_temp_directory(), kArchivePrefix);
    const std::string path = folder.path() + "/package.tar";
    write_tar(path, files);
    store_.set(name_, encode_cache_entry({read_file(path), weights_key, external.list()}, key_));
  } catch (const std::exception& error) {
    log_info("{} is not written to the remote cache: {}", name_, error.what());
  }
}

}  // namespace cppgen
