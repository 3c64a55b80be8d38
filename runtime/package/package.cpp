#include "runtime/package/package.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/abi/abi.h"
#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/plain_file_name.h"
#include "runtime/base/usable_cpus.h"
#include "runtime/base/version.h"
#include "runtime/package/seal.h"

namespace cppgen::rt {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool is_hash(std::string_view text) {
  return text.size() == kContentHashDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

const json& member(const json& node, const char* key, json::value_t type, const std::string& where) {
  const auto it = node.is_object() ? node.find(key) : node.end();
  if (it == node.end()) user_error("'{}': the field '{}' is missing", where, key);
  const bool integer = type == json::value_t::number_integer && it->is_number_integer();
  if (it->type() != type && !integer) user_error("'{}': the field '{}' has the type {}", where, key, it->type_name());
  return *it;
}

int64_t integer(const json& node, const char* key, const std::string& where) {
  return member(node, key, json::value_t::number_integer, where).get<int64_t>();
}

std::string text(const json& node, const char* key, const std::string& where) {
  return member(node, key, json::value_t::string, where).get<std::string>();
}

void check_version(int64_t found, int64_t expected, const char* what, const std::string& where) {
  if (found != expected)
    user_error("'{}': {} {} is not supported; this runtime ({}) reads {} {}. Compile the model again.", where, what,
               found, kVersion, what, expected);
}

ManifestFile file_from(const json& node, const std::string& where) {
  ManifestFile file{text(node, "name", where), integer(node, "bytes", where), text(node, "xxh3", where)};
  if (!is_plain_file_name(file.name) || file.name == kManifestFile)
    user_error("'{}': '{}' is not the name of a file in the package", where, file.name);
  if (file.bytes < 0) user_error("'{}': '{}' has {} bytes", where, file.name, file.bytes);
  if (!is_hash(file.hash))
    user_error("'{}': the hash of '{}' is not {} hex digits", where, file.name, kContentHashDigits);
  return file;
}

std::vector<std::string> files_of(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kManifestFile) && entry.is_regular_file()) names.push_back(name);  // nor its temporary
  }
  if (error) user_error("cannot list '{}': {}", directory, error.message());
  std::sort(names.begin(), names.end());
  return names;
}

// More of them would wait for the memory.
int reading_threads(int64_t bytes) {
  constexpr int64_t kFew = 4 << 20;
  return bytes < kFew ? 1 : std::min(usable_cpus(), 8);
}

void check_size(const PackageFiles& files, const ManifestFile& file, int64_t bytes) {
  if (bytes != file.bytes)
    user_error("package '{}': '{}' has {} bytes, expected {}: it is truncated or was replaced", files.name(), file.name,
               bytes, file.bytes);
}

void check_hash(const PackageFiles& files, const ManifestFile& file, const std::string& found) {
  if (found != file.hash)
    user_error("package '{}': '{}' was altered: its hash is {}, expected {}", files.name(), file.name, found,
               file.hash);
}

// Verifies that there is something that may be a package.
void require_package(const PackageFiles& files) {
  const std::string& name = files.name();
  std::error_code error;
  if (files.in_directory() && fs::is_regular_file(name, error))
    user_error("'{0}' is a file, and a package is a directory, which `cppgen compile {1} -o {2}.package` writes", name,
               name.ends_with(".onnx") ? name : "MODEL.onnx", fs::path(name).stem().string());
  if (files.in_directory() && !fs::is_directory(name, error))
    user_error("'{}' is not a package: no such directory", name);
  if (!files.bytes(std::string(kManifestFile))) user_error("'{}' is not a package: it has no {}", name, kManifestFile);
}

}  // namespace

std::string weights_file_name(int32_t plan) { return fmt::format("weights_{}.bin", plan); }
std::string plan_file_name(int32_t plan) { return fmt::format("plan_{}.json", plan); }

void write_package_file(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) user_error("cannot write '{}': {}", path, strerror(errno));
  bool ok = true;
  while (ok && !content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n > 0) content.remove_prefix(size_t(n));
    ok = n > 0 || errno == EINTR;
  }
  ok = ok && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!ok) user_error("cannot write '{}': {}", path, strerror(error));
}

const ManifestFile* Manifest::find(std::string_view name) const {
  for (const ManifestFile& file : files)
    if (file.name == name) return &file;
  return nullptr;
}

static void check_json_size(const PackageFiles& files, std::string_view name, int64_t bytes) {
  if (bytes > kMostJsonBytes)
    user_error("package '{}': '{}' has {} bytes; at most {} are read", files.name(), name, bytes, kMostJsonBytes);
}

Manifest read_manifest(const PackageFiles& files) {
  require_package(files);
  check_json_size(files, kManifestFile, files.bytes(std::string(kManifestFile)).value_or(0));
  const std::string path = files.path(std::string(kManifestFile));
  const MappedFile file = files.open(std::string(kManifestFile), {.copy = true});
  const json root = parse_json_or_discard({file.content().data(), file.content().size()});
  if (root.is_discarded()) user_error("'{}' is not well-formed JSON", path);
  if (const std::string format = text(root, "format", path); format != kPackageFormat)
    user_error("'{}' is not a package: its format is '{}', expected '{}'", path, format, kPackageFormat);

  Manifest manifest;
  manifest.format_version = integer(root, "format_version", path);
  check_version(manifest.format_version, kPackageFormatVersion, "package format version", path);
  manifest.abi_version = integer(root, "abi_version", path);
  check_version(manifest.abi_version, CPPGEN_ABI_VERSION, "kernel ABI version", path);
  manifest.isa = text(root, "isa", path);
  manifest.cppgen_version = text(root, "cppgen_version", path);
  for (const json& node : member(root, "files", json::value_t::array, path))
    manifest.files.push_back(file_from(node, path));
  return manifest;
}

void write_manifest(const std::string& directory, const std::string& isa) {
  std::vector<std::string> names = files_of(directory);
  std::stable_partition(names.begin(), names.end(), [](const auto& name) { return !is_object(name); });
  std::vector<ManifestFile> listed;
  std::string seal;
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    if (is_object(name)) {
      if (seal.empty()) seal = seal_of(listed);
      write_seal(path, seal);
    }
    const MappedFile file(path);
    listed.push_back({name, file.bytes(), content_hash(file.content(), reading_threads(file.bytes()))});
  }
  json files = json::array();
  for (const ManifestFile& file : listed)
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"xxh3", file.hash}});
  const json root{{"format", kPackageFormat},          {"format_version", kPackageFormatVersion},
                  {"abi_version", CPPGEN_ABI_VERSION}, {"isa", isa},
                  {"cppgen_version", kVersion},        {"files", files}};
  const std::string path = directory + "/" + std::string(kManifestFile), temporary = path + ".tmp";
  write_package_file(temporary, json_text(root, 1) + "\n");
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) user_error("cannot write '{}': {}", path, error.message());
}

// Blocks of a copy are hashed while they are in the cache of the thread that has read them.
MappedFile open_package_file(const PackageFiles& files, const ManifestFile& file, bool hash, MapOptions options) {
  static_assert(kReadBlock == kHashBlock);
  require_package_file(files, file);
  options.populate = hash;  // all of it is read now: no page by page
  options.threads = reading_threads(file.bytes);
  BlockHasher hasher{size_t(file.bytes)};
  if (hash) options.on_block = [&](size_t index, std::span<const char> block) { hasher.add(index, block); };
  MappedFile mapped = files.open(file.name, options);
  check_size(files, file, mapped.bytes());
  if (hash) check_hash(files, file, mapped.is_copy() ? hasher.hash() : content_hash(mapped.content(), options.threads));
  return mapped;
}

MappedFile open_package_json(const PackageFiles& files, const ManifestFile& file) {
  check_json_size(files, file.name, file.bytes);
  return open_package_file(files, file, true);
}

void require_package_file(const PackageFiles& files, const ManifestFile& file) {
  const std::optional<int64_t> bytes = files.bytes(file.name);
  if (!bytes) user_error("package '{}': the file '{}' is missing", files.name(), file.name);
  check_size(files, file, *bytes);
}

void check_package_file(const PackageFiles& files, const ManifestFile& file, std::span<const char> content) {
  check_size(files, file, int64_t(content.size()));
  check_hash(files, file, content_hash(content));
}

}  // namespace cppgen::rt
