#include "cppgen/onnxruntime/archive.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <optional>
#include <utility>

#include "cppgen/onnxruntime/ort_call.h"
#include "cppgen/support/tar_header.h"
#include "runtime/base/errors.h"

namespace cppgen::ep {
namespace {

void add_file(const std::filesystem::path& path, const std::string& name, std::string& archive) {
  const auto size = int64_t(std::filesystem::file_size(path));
  const TarBlock header = tar_header(name, size);
  archive.append(header.data(), header.size());
  const size_t begin = archive.size();
  archive.resize(begin + size_t(padded_to_blocks(size)));
  std::ifstream file(path, std::ios::binary);
  if (!file.read(archive.data() + begin, size)) throw Failure("cppgen: cannot read " + path.string());
}

// Returns the result of `work`. Throws Failure in place of what the archive's room throws.
template <class F>
auto with_archive(const char* what, const F& work) {
  try {
    return work();
  } catch (const UserError& error) {
    throw Failure(std::string("cppgen: ") + what + ": " + error.what());
  }
}

}  // namespace

std::string archive_of(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return with_archive("the package cannot be embedded", [&] {
    std::string archive;
    for (const auto& path : paths) add_file(path, path.lexically_relative(directory).generic_string(), archive);
    archive.append(size_t(2 * kTarBlock), '\0');
    return archive;
  });
}

std::shared_ptr<const std::byte> aligned_copy(const std::string& bytes) {
  constexpr size_t kAlignment = 64;
  const size_t size = std::max<size_t>((bytes.size() + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  void* memory = std::aligned_alloc(kAlignment, size);
  if (!memory) throw std::bad_alloc();
  std::memcpy(memory, bytes.data(), bytes.size());
  return {static_cast<const std::byte*>(memory), [](const std::byte* it) { std::free(const_cast<std::byte*>(it)); }};
}

ArchiveFiles files_in(const std::byte* archive, size_t bytes) {
  return with_archive("the embedded package is damaged", [&] {
    ArchiveFiles found;
    std::vector<std::pair<const std::byte*, size_t>> contents;
    TarBlock block;
    for (int64_t at = 0, left = int64_t(bytes);; left = int64_t(bytes) - at) {
      if (left < kTarBlock) user_error("it has no end");
      std::memcpy(block.data(), archive + at, block.size());
      const std::optional<TarEntry> entry = parse_tar_header(block);
      if (!entry) break;
      at += kTarBlock, left -= kTarBlock;
      if (entry->size > left || padded_to_blocks(entry->size) > left) user_error("'{}' is cut off", entry->shown);
      if (!entry->is_folder) {
        found.names.push_back(entry->name);
        contents.emplace_back(archive + at, size_t(entry->size));
      }
      at += padded_to_blocks(entry->size);
    }
    for (size_t i = 0; i < contents.size(); i++)
      found.files.push_back({found.names[i].c_str(), contents[i].first, contents[i].second});
    return found;
  });
}

}  // namespace cppgen::ep
