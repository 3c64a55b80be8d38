#include "cppgen/onnxruntime/archive.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "cppgen/onnxruntime/ort_call.h"

namespace cppgen::ep {
namespace {

constexpr size_t kBlock = 512;

// The first block of a file, as POSIX describes it. Numbers are octal digits that end with a null character.
struct Header {
  char name[100];
  char mode[8], owner[8], group[8];
  char size[12], time[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6], version[2];
  char rest[247];
};
static_assert(sizeof(Header) == kBlock);

// The sum of all bytes, those of the checksum itself taken as spaces.
unsigned checksum(Header header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned char bytes[kBlock];
  std::memcpy(bytes, &header, kBlock);
  unsigned sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum;
}

// The same archive for the same files: without owners and times.
Header header_of(const std::string& name, uint64_t size) {
  Header header{};
  if (name.size() >= sizeof header.name)
    throw Failure("cppgen: the file name '" + name + "' is too long to be embedded");
  if (size >> 33 != 0) throw Failure("cppgen: the file '" + name + "' is too large to be embedded");
  std::memcpy(header.name, name.data(), name.size());
  std::strcpy(header.mode, "0000644");
  std::strcpy(header.owner, "0000000");
  std::strcpy(header.group, "0000000");
  std::snprintf(header.size, sizeof header.size, "%011llo", static_cast<unsigned long long>(size));
  std::strcpy(header.time, "00000000000");
  header.type = '0';
  std::strcpy(header.magic, "ustar");
  std::memcpy(header.version, "00", 2);
  std::snprintf(header.checksum, sizeof header.checksum, "%06o", checksum(header));
  return header;
}

size_t padded(size_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

void add_file(const std::filesystem::path& path, const std::string& name, std::string& archive) {
  const size_t size = std::filesystem::file_size(path);
  const Header header = header_of(name, size);
  archive.append(reinterpret_cast<const char*>(&header), kBlock);
  const size_t begin = archive.size();
  archive.resize(begin + padded(size));
  std::ifstream file(path, std::ios::binary);
  if (!file.read(archive.data() + begin, std::streamsize(size))) throw Failure("cppgen: cannot read " + path.string());
}

[[noreturn]] void damaged(const char* what) {
  throw Failure(std::string("cppgen: the embedded package is damaged: ") + what);
}

uint64_t octal(const char* digits, size_t count) {
  uint64_t value = 0;
  const char* end = std::find(digits, digits + count, '\0');
  if (std::from_chars(digits, end, value, 8).ptr != end) damaged("a number has other characters than digits");
  return value;
}

}  // namespace

std::string archive_of(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::string archive;
  for (const auto& path : paths) add_file(path, path.lexically_relative(directory).generic_string(), archive);
  archive.append(2 * kBlock, '\0');
  return archive;
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
  ArchiveFiles found;
  std::vector<std::pair<const std::byte*, size_t>> contents;
  for (size_t at = 0;;) {
    if (bytes - at < kBlock) damaged("it has no end");
    Header header;
    std::memcpy(&header, archive + at, kBlock);
    if (header.name[0] == '\0') break;
    if (std::memcmp(header.magic, "ustar", 6) != 0 || header.type != '0') damaged("it is no archive of files");
    if (octal(header.checksum, 7) != checksum(header)) damaged("a checksum is wrong");
    const uint64_t size = octal(header.size, sizeof header.size);
    at += kBlock;
    if (size > bytes - at || padded(size) > bytes - at) damaged("a file is cut off");
    found.names.emplace_back(header.name, std::find(header.name, std::end(header.name), '\0'));
    contents.emplace_back(archive + at, size);
    at += padded(size);
  }
  for (size_t i = 0; i < contents.size(); i++)
    found.files.push_back({found.names[i].c_str(), contents[i].first, contents[i].second});
  return found;
}

}  // namespace cppgen::ep
