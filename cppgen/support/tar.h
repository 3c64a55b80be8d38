#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cppgen {

// Archives in the ustar format (POSIX.1-1988), which every `tar` reads and writes. Regular files only.

// A file of an archive. Names are relative paths of at most 255 bytes.
struct TarFile {
  std::string name, source;
};

// Writes the files in their order, without times and owners: equal files give equal archives. The archive appears under
// its name when it is complete. UserError naming the file if one cannot be read or the archive cannot be written.
void write_tar(const std::string& path, const std::vector<TarFile>&);

// Extracts an archive of unknown origin into an empty directory. UserError for anything but regular files and folders,
// names that could lead out of the directory or exist twice, an archive that is truncated or damaged, contents of more
// than `max_bytes` or of more than the file system has left, or very many files: in these cases nothing is written.
void extract_tar(const std::string& path, const std::string& directory, int64_t max_bytes);

}  // namespace cppgen
