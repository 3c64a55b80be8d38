#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cppgen.h"

// A package in one piece of memory, for models that carry it inside: a POSIX tar archive (ustar) of its regular files.
// Contents begin at multiples of 512 bytes, so that weights in aligned memory are used where they are.
namespace cppgen::ep {

// The files of a directory and of the folders in it. Failure if one cannot be read, or has a name that does not fit.
std::string archive_of(const std::string& directory);

// A copy of the bytes at an address that is a multiple of 64.
std::shared_ptr<const std::byte> aligned_copy(const std::string& bytes);

// The files in an archive, which refer to its memory.
struct ArchiveFiles {
  std::vector<std::string> names;
  std::vector<cppgen_file> files;
};

// Failure for what is no such archive: everything in it is checked against its size.
ArchiveFiles files_in(const std::byte* archive, size_t bytes);

}  // namespace cppgen::ep
