#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cppgen/support/input_file.h"

namespace cppgen {

// Files of external data of a model: each is opened once and mapped, with a record of the parts that were read.
// Mappings live as long as a part does.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  struct Part {
    std::shared_ptr<const InputMapping> mapping;
    std::span<const std::byte> bytes;
  };
  // UserError if the location is not allowed (InputFile::open_below), cannot be read, or has no such bytes.
  Part read(const std::string& location, int64_t offset, int64_t size);

  // The parts that were read, in a canonical order, as text; and the same parts from such a text: nullopt if the text
  // is malformed or a part cannot be read.
  std::string list() const;
  static std::optional<ExternalFiles> from_list(std::string folder, const std::string& list);

  // A hash of the names, positions and current bytes of the parts that were read.
  std::string content_key(int threads) const;

  std::vector<std::string> locations() const;  // of the files that were opened
  bool empty() const { return files_.empty(); }
  bool may_have_changed() const;  // whether any file may have changed since it was opened (InputFile)

 private:
  struct File {
    std::shared_ptr<const InputMapping> mapping;
    std::map<int64_t, int64_t> ranges;  // begin to end; neither overlapping nor adjacent
  };
  static void add(std::map<int64_t, int64_t>& ranges, int64_t begin, int64_t end);

  std::string folder_;
  std::map<std::string, File> files_;
};

}  // namespace cppgen
