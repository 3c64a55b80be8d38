// The C API's packages that are not in a directory.
#include <map>

#include "runtime/base/printable.h"
#include "runtime/session/c_api_support.h"

using namespace cppgen;
using namespace cppgen::rt;

namespace {

class FilesInMemory : public FileSource {
 public:
  FilesInMemory(const cppgen_file* files, size_t count) {
    require_argument(files || count == 0, "files");
    for (size_t i = 0; i < count; i++) {
      require_argument(files[i].name, "files.name");
      require_argument(files[i].data || files[i].bytes == 0, "files.data");
      const std::span<const char> content(static_cast<const char*>(files[i].data), files[i].bytes);
      if (!contents_.emplace(files[i].name, content).second)
        user_error("the package has two files '{}'", one_line(files[i].name));
    }
  }

  std::optional<int64_t> bytes(const std::string& file) const override {
    const auto found = contents_.find(file);
    return found == contents_.end() ? std::nullopt : std::optional(int64_t(found->second.size()));
  }
  const char* in_memory(const std::string& file) const override { return contents_.at(file).data(); }
  void read(const std::string& file, int64_t offset, std::span<char> to) const override {
    std::ranges::copy(contents_.at(file).subspan(size_t(offset), to.size()), to.begin());
  }

 private:
  std::map<std::string, std::span<const char>> contents_;
};

class FilesOfReader : public FileSource {
 public:
  explicit FilesOfReader(const cppgen_reader& reader) : reader_(reader) {}

  std::optional<int64_t> bytes(const std::string& file) const override {
    const int64_t bytes = reader_.size(reader_.context, file.c_str());
    return bytes < 0 ? std::nullopt : std::optional(bytes);
  }
  const char* in_memory(const std::string&) const override { return nullptr; }
  void read(const std::string& file, int64_t offset, std::span<char> to) const override {
    if (reader_.read(reader_.context, file.c_str(), uint64_t(offset), to.data(), to.size()) != 0)
      user_error("the application cannot read {} bytes of '{}' at {}", to.size(), file, offset);
  }

 private:
  const cppgen_reader reader_;
};

}  // namespace

namespace cppgen::rt {

PackageFiles files_in_memory(const cppgen_file* files, size_t count) {
  return PackageFiles(std::make_shared<const FilesInMemory>(files, count));
}

PackageFiles files_of_reader(const cppgen_reader* reader) {
  require_argument(reader, "reader");
  const auto used = sized_copy(reader, reader->struct_size, cppgen_reader{}, sizeof(cppgen_reader), "reader");
  require_argument(used.size, "reader.size");
  require_argument(used.read, "reader.read");
  return PackageFiles(std::make_shared<const FilesOfReader>(used));
}

}  // namespace cppgen::rt
