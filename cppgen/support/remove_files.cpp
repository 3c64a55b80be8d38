#include "cppgen/support/remove_files.h"

#include <filesystem>

#include "cppgen/support/file_io.h"

namespace cppgen {

int64_t remove_files(const std::string& directory) {
  std::error_code error;
  int64_t count = 0;
  std::filesystem::directory_iterator it(directory, error);
  for (const std::filesystem::directory_iterator end; !error && it != end; it.increment(error)) count++;
  remove_tree(directory);
  return count;
}

}  // namespace cppgen
