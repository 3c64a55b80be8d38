#include "cppgen/support/external_files.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "cppgen/support/hashing.h"
#include "cppgen/support/text_writer.h"
#include "runtime/base/errors.h"

namespace cppgen {

void ExternalFiles::add(std::map<int64_t, int64_t>& ranges, int64_t begin, int64_t end) {
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges.end() && next->first <= end) {
    begin = std::min(begin, next->first), end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges.emplace(begin, end);
}

ExternalFiles::Part ExternalFiles::read(const std::string& location, int64_t offset, int64_t size) {
  auto found = files_.find(location);
  if (found == files_.end()) {
    InputFile file = InputFile::open_below(folder_, location);
    found = files_.emplace(location, File{std::make_shared<InputMapping>(std::move(file)), {}}).first;
  }
  File& file = found->second;
  const std::span<const std::byte> all = file.mapping->bytes();
  const auto bytes = int64_t(all.size());
  if (offset < 0 || size < 0 || offset > bytes || size > bytes - offset)
    user_error("external data '{}': {} bytes at offset {} exceed the file of {} bytes",
               escape_for_comment(location, 80), size, offset, bytes);
  if (size > 0) add(file.ranges, offset, offset + size);
  return {file.mapping, all.subspan(size_t(offset), size_t(size))};
}

std::string ExternalFiles::list() const {
  std::string text;
  for (const auto& [location, file] : files_) {
    text += fmt::format("{} {}", location.size(), location);
    for (const auto& [begin, end] : file.ranges) text += fmt::format(" {} {}", begin, end - begin);
    text += " -1\n";
  }
  return text;
}

std::vector<std::string> ExternalFiles::locations() const {
  std::vector<std::string> locations;
  for (const auto& [location, file] : files_) locations.push_back(location);
  return locations;
}

std::optional<ExternalFiles> ExternalFiles::from_list(std::string folder, const std::string& list) {
  ExternalFiles files(std::move(folder));
  std::istringstream text(list);
  try {
    for (size_t length; text >> length;) {
      std::string location(std::min(length, list.size()), '\0');
      text.get();
      text.read(location.data(), std::streamsize(location.size()));
      files.read(location, 0, 0);
      int64_t offset = -1, size = 0;
      while (text >> offset && offset >= 0 && text >> size) files.read(location, offset, size);
      if (!text) return std::nullopt;
    }
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (!text.eof()) return std::nullopt;
  return files;
}

std::string ExternalFiles::content_key(int threads) const {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& [location, file] : files_)
    for (const auto& [begin, end] : file.ranges)
      parts.push_back(file.mapping->bytes().subspan(size_t(begin), size_t(end - begin)));
  return Hasher().field("parts", list()).field("content", cppgen::content_key(parts, threads)).hex();
}

bool ExternalFiles::may_have_changed() const {
  return std::any_of(files_.begin(), files_.end(),
                     [](const auto& entry) { return entry.second.mapping->file().may_have_changed(); });
}

}  // namespace cppgen
