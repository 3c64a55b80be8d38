#include "cppgen/package/model_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>

#include "cppgen/package/package_pin.h"
#include "cppgen/package/shared_weights.h"
#include "cppgen/support/private_files.h"
#include "cppgen/support/temp_directory.h"
#include "cppgen/support/text_writer.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen::package {
namespace {

constexpr const char* kExternal = "/external_parts";
constexpr const char* kAbout = "/about";

ModelCache::Entry entry_of(const std::string& package, std::shared_ptr<const void> pin) {
  return {package, is_as_written(package), std::move(pin)};
}

std::string text_of(const ModelCache::Description& about) {
  std::string text = escape_for_comment(about.model, 4096) + "\n";
  for (const std::string& setting : about.settings) text += escape_for_comment(setting, 4096) + "\n";
  return text;
}

}  // namespace

ModelCache::ModelCache(std::string cache_dir, std::string model_key, std::string folder)
    : cache_dir_(std::move(cache_dir)),
      root_(cache_dir_ + "/models/" + std::move(model_key)),
      folder_(std::move(folder)) {}

std::optional<ModelCache::Entry> ModelCache::find() const {
  const auto list = try_read_file(root_ + kExternal);
  if (!list) return std::nullopt;
  const auto external = ExternalFiles::from_list(folder_, *list);
  if (!external) return std::nullopt;
  const std::string package = root_ + "/" + external->content_key(usable_cpus());
  auto pin = pin_package(package);
  if (!pin) return std::nullopt;
  if (const std::string why = why_unsafe_files(cache_dir_, package); !why.empty()) {
    log_warning("the compiled model in the cache is not used, because {}", why);
    return std::nullopt;
  }
  return entry_of(package, std::move(pin));
}

// An existing directory is moved `aside` if it is to be replaced or is not a package; another process may create one at
// any time, and a process that cleans the cache may remove the parent directory.
ModelCache::Published ModelCache::place(const std::string& staged, const std::string& aside,
                                        const std::string& weights_key, bool replace) {
  const std::string target = root_ + "/" + weights_key;
  auto pin = pin_package(staged);
  if (!pin) return {std::nullopt, fmt::format("'{}' vanished", staged)};
  int error = 0;
  for (int attempt = 0; attempt < 8; attempt++) {
    if ((error = make_directories(root_)) != 0) break;
    if (::rename(staged.c_str(), target.c_str()) == 0) {
      if ((error = mark_as_written(target)) != 0) remove_mark(target);
      return {entry_of(target, std::move(pin)), ""};
    }
    error = errno;
    if (error == ENOENT) continue;
    if (error != EEXIST && error != ENOTEMPTY && error != ENOTDIR) break;
    if (!replace)
      if (auto other = pin_package(target)) return {entry_of(target, std::move(other)), ""};
    (void)::rename(target.c_str(), fmt::format("{}{}", aside, attempt).c_str());
  }
  return {std::nullopt, fmt::format("'{}': {}", target, error_text(error))};
}

ModelCache::Published ModelCache::publish(const ExternalFiles& external, const std::string& weights_key,
                                          const Description& about,
                                          const std::function<void(const std::string&)>& write, bool replace) {
  const std::string temporary = cache_dir_ + "/tmp";
  if (const int error = make_directories(temporary))
    return {std::nullopt, fmt::format("'{}': {}", temporary, error_text(error))};
  try {
    const TempDirectory temp(temporary, "model-");
    const std::string staged = temp.path() + "/package";
    if (const int error = make_directories(staged))
      return {std::nullopt, fmt::format("'{}': {}", staged, error_text(error))};
    write(staged);
    forbid_others_to_write(staged);
    share_weights(cache_dir_, staged);
    Published published = place(staged, temp.path() + "/old", weights_key, replace);
    if (!published.entry) return published;
    int error = publish_file(root_ + kAbout, text_of(about), temp.path());
    if (!error) error = publish_file(root_ + kExternal, external.list(), temp.path());
    if (error) published.reason = fmt::format("'{}': {}", root_, error_text(error));
    return published;
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace cppgen::package
