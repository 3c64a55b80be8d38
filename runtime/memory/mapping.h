#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cppgen::rt {

// Zeroed, page-aligned memory, mapped directly from the system.
class Arena {
 public:
  Arena() = default;
  explicit Arena(int64_t bytes);  // UserError if the system cannot provide the memory
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  char* data() const { return data_; }  // null when empty
  int64_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  int64_t bytes_ = 0;
};

// A file mapped read-only: processes that map the same file share its pages.
class MappedFile {
 public:
  MappedFile() = default;
  // UserError naming the path if it cannot be opened or is not a regular file. `populate` reads it into memory now
  // instead of at first use.
  explicit MappedFile(const std::string& path, bool populate = false);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  const char* data() const { return data_; }  // page-aligned; null when empty
  int64_t bytes() const { return bytes_; }
  std::span<const char> content() const { return {data_, size_t(bytes_)}; }

 private:
  const char* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace cppgen::rt
