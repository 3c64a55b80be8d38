#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/memory/mapping.h"
#include "runtime/package/object_file.h"

namespace cppgen::rt {

// The files of a package that an application keeps, by their paths within it: "plan.json", "versions/0/plan.json".
class FileSource {
 public:
  virtual ~FileSource() = default;
  virtual std::optional<int64_t> bytes(const std::string& file) const = 0;  // nothing: there is no such file
  // The content, if it is in memory that stays as it is for the lifetime of this source; else null.
  virtual const char* in_memory(const std::string& file) const = 0;
  // Fills `to` with what begins at `offset`. UserError naming the file if that fails.
  virtual void read(const std::string& file, int64_t offset, std::span<char> to) const = 0;
};

// Knows where the files of a package are: in a directory, or in an application.
class PackageFiles {
 public:
  PackageFiles(std::string directory) : name_(std::move(directory)) {}
  PackageFiles(const char* directory) : name_(directory) {}
  explicit PackageFiles(std::shared_ptr<const FileSource> source) : name_("in memory"), source_(std::move(source)) {}

  const std::string& name() const { return name_; }  // of the package or folder, for messages
  bool in_directory() const { return !source_; }
  std::string path(const std::string& file) const { return name_ + "/" + file; }
  PackageFiles folder(const std::string& name) const;

  // Nothing if there is no such file. UserError if it is not a regular file.
  std::optional<int64_t> bytes(const std::string& file) const;

  // UserError naming the file if it cannot be read. What is in memory and aligned is used where it is.
  MappedFile open(const std::string& file, const MapOptions&) const;
  ObjectFile open_object(const std::string& file, bool in_place) const;

 private:
  std::string name_, prefix_;  // of the paths within the source
  std::shared_ptr<const FileSource> source_;
};

}  // namespace cppgen::rt
