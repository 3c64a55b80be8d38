#include "runtime/package/seal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "runtime/base/content_hash.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {

static constexpr std::string_view kMark = "cppgenS2";
static constexpr size_t kSealBytes = kMark.size() + kContentHashDigits;

bool is_object(const std::string& file_name) { return file_name.ends_with(".so"); }

std::string seal_of(const std::vector<ManifestFile>& files) {
  std::vector<std::string> lines;
  for (const ManifestFile& file : files)
    if (!is_object(file.name) && file.name != kCostsFile)
      lines.push_back(fmt::format("{} {} {}", file.hash, file.bytes, file.name));
  std::sort(lines.begin(), lines.end());
  return std::string(kMark) + content_hash(fmt::format("{}", fmt::join(lines, "\n")));
}

void write_seal(const std::string& path, const std::string& seal) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) user_error("cannot read '{}': {}", path, error.message());
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto place = std::streamoff(bytes - std::min<uintmax_t>(bytes, kSealBytes));
  std::string end(size_t(std::streamoff(bytes) - place), '\0');
  file.seekg(place);
  file.read(end.data(), std::streamsize(end.size()));
  file.seekp(end.starts_with(kMark) ? place : std::streamoff(bytes));
  file.write(seal.data(), std::streamsize(seal.size()));
  file.close();
  if (!file) user_error("cannot write '{}': {}", path, strerror(errno));
}

bool has_seal(std::span<const char> object, const std::string& seal) {
  return std::string_view(object.data(), object.size()).ends_with(seal);
}

}  // namespace cppgen::rt
