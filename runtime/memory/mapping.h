#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "runtime/memory/allocator.h"

namespace cppgen::rt {

// Zeroed memory, aligned to a page (of the application: to 4,096 bytes), mapped directly from the system.
class Arena {
 public:
  Arena() = default;
  // UserError if the system cannot provide the memory. `huge_pages`: requests huge pages, as 4 MiB and more do in any
  // case, because they take a third of the time to provide, and begins with one if there are any.
  explicit Arena(int64_t bytes, bool huge_pages = false);
  // Memory of the application, if `allocator` is not null; huge pages are then its affair.
  Arena(int64_t bytes, bool huge_pages, const AllocatorPointer& allocator);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  char* data() const { return data_; }  // null when empty
  int64_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<char> owner_;  // of the application's memory
};

struct MapOptions {
  bool populate = false;    // read the file now instead of at first use
  bool copy = false;        // into private memory, which does not change with the file
  bool huge_pages = false;  // request huge pages: see Arena
  int threads = 1;          // at most, to read a copy
  // Called with the memory of a copy before anything is read into it.
  std::function<void(std::span<char> memory)> on_memory = {};
  // Called with each block of a copy, kReadBlock bytes or what remains, by the thread that has just read it.
  std::function<void(size_t index, std::span<const char> block)> on_block = {};
  int64_t most_bytes = std::numeric_limits<int64_t>::max();  // longer files are refused
};
inline constexpr size_t kReadBlock = size_t{256} << 10;

// A file mapped read-only: processes that map the same file share its pages. Or a copy, or a content in memory.
class MappedFile {
 public:
  MappedFile() = default;
  // UserError naming the path if it cannot be opened, read, or is not a regular file.
  explicit MappedFile(const std::string& path, const MapOptions& = {});
  // An open regular file, which stays open; `path` is for messages.
  MappedFile(int file, const std::string& path, const MapOptions& = {});
  // A copy of what `read` writes: part by part, by as many threads as the options say. `read` throws if it fails.
  using ReadPart = std::function<void(int64_t offset, std::span<char> to)>;
  MappedFile(int64_t bytes, const ReadPart& read, const MapOptions&);
  // A content that is in memory already, which `owner` keeps.
  MappedFile(const char* data, int64_t bytes, std::shared_ptr<const void> owner);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  const char* data() const { return data_; }  // of files page-aligned; null when empty
  int64_t bytes() const { return bytes_; }
  bool is_copy() const { return copy_.data() != nullptr; }
  std::span<const char> content() const { return {data_, size_t(bytes_)}; }

 private:
  void map(int file, const std::string& path, const MapOptions&);
  void read_all(const ReadPart&, const MapOptions&);
  void read_block(const ReadPart&, size_t index, const MapOptions&);

  Arena copy_;                         // holds the data of a copy
  std::shared_ptr<const void> owner_;  // of a content that was in memory
  const char* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace cppgen::rt
