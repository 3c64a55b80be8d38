#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cppgen {

// An archive in the ustar format (POSIX.1-1988) is a list of files, each a header and then its content, both padded to
// blocks, and ends with blocks of zeros.
inline constexpr int64_t kTarBlock = 512;  // bytes
using TarBlock = std::array<char, size_t(kTarBlock)>;

constexpr int64_t padded_to_blocks(int64_t bytes) { return (bytes + kTarBlock - 1) / kTarBlock * kTarBlock; }

// The header of a regular file, without times and owners. UserError if the name or the size does not fit.
TarBlock tar_header(const std::string& name, int64_t size);

struct TarEntry {
  std::string name;   // a relative path that does not lead out of the folder it is in
  std::string shown;  // the same for messages
  int64_t size = 0;   // of the content, at least 0
  bool is_folder = false;
};

// The statements of a header of unknown origin; nothing at the end of an archive. UserError if it is damaged, is for
// anything but a regular file or a folder, or has a name that could lead out.
std::optional<TarEntry> parse_tar_header(const TarBlock&);

}  // namespace cppgen
