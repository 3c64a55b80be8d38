#include "cppgen/import/external_data.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "cppgen/graph/graph.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

std::string real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  if (!resolved) user_error("external data {}: {}", quoted(path), error_text(errno));
  return resolved.get();
}

bool is_below(const std::string& path, const std::string& folder) {
  std::string prefix = folder == "/" ? folder : folder + "/";
  return path.starts_with(prefix);
}

void check_location(const std::string& location) {
  if (location.empty()) user_error("external data has an empty location");
  if (location.find('\0') != std::string::npos)
    user_error("external data {}: the location has a NUL", quoted(location));
  if (location.size() >= PATH_MAX) user_error("external data {}: the location is too long", quoted(location));
  if (location.front() == '/') user_error("external data {}: absolute paths are not allowed", quoted(location));
  for (size_t begin = 0; begin <= location.size();) {
    size_t end = std::min(location.find('/', begin), location.size());
    if (location.compare(begin, end - begin, "..") == 0)
      user_error("external data {}: \"..\" is not allowed, the file must lie in the model's folder", quoted(location));
    begin = end + 1;
  }
}

// Opens the resolved path without following a last link, then asks the kernel what was opened: a link swapped in
// between the two steps is caught too.
FileDescriptor open_below(const std::string& folder, const std::string& location) {
  std::string root = real_path(folder.empty() ? "." : folder);
  std::string target = real_path(root + "/" + location);
  if (!is_below(target, root)) user_error("external data {}: leads out of the model's folder", quoted(location));
  FileDescriptor file(::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) user_error("external data {}: {}", quoted(location), error_text(errno));
  if (!is_below(real_path(fmt::format("/proc/self/fd/{}", file.get())), root))
    user_error("external data {}: leads out of the model's folder", quoted(location));
  return file;
}

}  // namespace

ExternalData::Mapping::~Mapping() {
  if (bytes) ::munmap(const_cast<std::byte*>(bytes), size_t(size));
}

std::shared_ptr<ExternalData::Mapping> ExternalData::open(const std::string& location) {
  check_location(location);
  if (folder_.empty()) user_error("external data {}: the model has no folder to read it from", quoted(location));
  FileDescriptor file = open_below(folder_, location);
  struct stat info;
  if (::fstat(file.get(), &info) != 0) user_error("external data {}: {}", quoted(location), error_text(errno));
  if (!S_ISREG(info.st_mode)) user_error("external data {}: not a regular file", quoted(location));
  auto mapping = std::make_shared<Mapping>();
  if (info.st_size == 0) return mapping;
  void* bytes = ::mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (bytes == MAP_FAILED) user_error("external data {}: cannot map: {}", quoted(location), error_text(errno));
  mapping->bytes = static_cast<const std::byte*>(bytes);
  mapping->size = info.st_size;
  return mapping;
}

ir::ConstantData ExternalData::read(const std::string& location, int64_t offset, int64_t size) {
  auto found = mappings_.find(location);
  if (found == mappings_.end()) found = mappings_.emplace(location, open(location)).first;
  const std::shared_ptr<Mapping>& mapping = found->second;
  if (offset < 0 || size < 0 || offset > mapping->size || size > mapping->size - offset)
    user_error("external data {}: {} bytes at offset {} exceed the file of {} bytes", quoted(location), size, offset,
               mapping->size);
  return {mapping, mapping->bytes ? mapping->bytes + offset : nullptr, size_t(size)};
}

}  // namespace cppgen::import
