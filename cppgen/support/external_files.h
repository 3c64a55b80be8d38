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

// Files of weights beside a model ("external data"): each opened once and mapped, and which parts of them were read.
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

  // What was read, in an order of its own; as text, and the same parts from such a text. Nothing if the text is none,
  // or a part cannot be read.
  std::string list() const;
  static std::optional<ExternalFiles> from_list(std::string folder, const std::string& list);

  // Of the names, places and bytes that were read, as they are now.
  std::string content_key(int threads) const;

  bool empty() const { return files_.empty(); }
  bool may_have_changed() const;  // any file, since it was opened (InputFile)

 private:
  struct File {
    std::shared_ptr<const InputMapping> mapping;
    std::map<int64_t, int64_t> ranges;  // begin to end; neither overlapping nor touching
  };
  static void add(std::map<int64_t, int64_t>& ranges, int64_t begin, int64_t end);

  std::string folder_;
  std::map<std::string, File> files_;
};

}  // namespace cppgen
