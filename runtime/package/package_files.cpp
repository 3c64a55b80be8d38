#include "runtime/package/package_files.h"

#include <cstdint>
#include <filesystem>

#include "runtime/base/errors.h"

namespace cppgen::rt {

static constexpr uintptr_t kAlignment = 64;  // of weights in kernels

PackageFiles PackageFiles::folder(const std::string& name) const {
  PackageFiles files = *this;
  files.name_ += "/" + name;
  files.prefix_ += name + "/";
  return files;
}

std::optional<int64_t> PackageFiles::bytes(const std::string& file) const {
  if (source_) return source_->bytes(prefix_ + file);
  std::error_code error;
  if (!std::filesystem::exists(path(file), error)) return std::nullopt;
  const auto bytes = std::filesystem::file_size(path(file), error);
  if (error) user_error("'{}' is not a regular file", path(file));
  return int64_t(bytes);
}

MappedFile PackageFiles::open(const std::string& file, const MapOptions& options) const {
  if (!source_) return MappedFile(path(file), options);
  const std::string name = prefix_ + file;
  const int64_t bytes = this->bytes(file).value_or(0);
  const char* data = source_->in_memory(name);
  if (data && reinterpret_cast<uintptr_t>(data) % kAlignment == 0) return MappedFile(data, bytes, source_);
  MapOptions of_one_thread = options;
  of_one_thread.threads = 1;
  return MappedFile(
      bytes, [&](int64_t offset, std::span<char> to) { source_->read(name, offset, to); }, of_one_thread);
}

ObjectFile PackageFiles::open_object(const std::string& file, bool in_place) const {
  if (!source_) return ObjectFile(path(file), in_place);
  return ObjectFile(open(file, {.copy = true}).content(), path(file));
}

}  // namespace cppgen::rt
