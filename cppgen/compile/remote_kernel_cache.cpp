#include "cppgen/compile/remote_kernel_cache.h"

#include "cppgen/compile/cache_entry.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

std::string name_on_server(const KernelKey& key) { return "cppgen:kernel:" + key.hex; }

}  // namespace

std::optional<std::string> RemoteKernelCache::find(const KernelKey& key) {
  const std::optional<std::string> bytes = store_.get(name_on_server(key));
  if (!bytes) return std::nullopt;
  std::string why;
  const auto entry = decode_cache_entry(*bytes, key.hex, why);
  if (entry && entry->key_dump == key.dump) return std::string(entry->image);
  log_info("the entry {} of the remote cache is not used: {}", name_on_server(key),
           why.empty() ? "it was made from something else" : why);
  return std::nullopt;
}

void RemoteKernelCache::store(const KernelKey& key, const std::string& job_name, const std::string& image) {
  store_.set(name_on_server(key), encode_cache_entry({image, job_name, key.dump}, key.hex));
}

}  // namespace cppgen
