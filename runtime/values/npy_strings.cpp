#include "runtime/values/npy_strings.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "runtime/base/errors.h"
#include "runtime/memory/mapping.h"
#include "runtime/values/npy_header.h"

namespace cppgen::rt {
namespace {

constexpr uint32_t kLastCodePoint = 0x10FFFF;

bool is_surrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

void append_utf8(std::string& text, uint32_t c) {
  if (c < 0x80) {
    text += char(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += char(kLead[more] | (c >> (6 * more)));
  for (int i = more; i-- > 0;) text += char(0x80 | ((c >> (6 * i)) & 0x3F));
}

// nullopt unless the text is UTF-8 in its shortest form.
std::optional<std::u32string> code_points(const std::string& text) {
  std::u32string points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int more = lead < 0x80 ? 0 : (lead >> 5) == 6 ? 1 : (lead >> 4) == 14 ? 2 : (lead >> 3) == 30 ? 3 : -1;
    if (more < 0 || text.size() - i <= size_t(more)) return std::nullopt;
    uint32_t c = more == 0 ? lead : lead & (0x3F >> more);
    for (int k = 1; k <= more; k++) {
      const auto next = static_cast<unsigned char>(text[i + size_t(k)]);
      if ((next >> 6) != 2) return std::nullopt;
      c = c << 6 | (next & 0x3F);
    }
    constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (c < kLeast[more] || c > kLastCodePoint || is_surrogate(c)) return std::nullopt;
    points += char32_t(c);
    i += size_t(more) + 1;
  }
  return points;
}

std::string text_of(const std::string& path, const uint32_t* points, size_t count) {
  while (count > 0 && points[count - 1] == 0) count--;
  std::string text;
  for (size_t i = 0; i < count; i++) {
    if (points[i] > kLastCodePoint || is_surrogate(points[i]))
      user_error("'{}' holds {}, which is not a code point", path, points[i]);
    append_utf8(text, points[i]);
  }
  return text;
}

// The characters of an element, by its description; nullopt if elements are not strings.
std::optional<size_t> width_of(std::string_view descr, char kind) {
  if (descr.size() < 3 || descr[1] != kind || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) return {};
  size_t width = 0;
  const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
  if (error != std::errc() || end != descr.data() + descr.size() || width > (size_t(1) << 30)) return {};
  return width;
}

}  // namespace

StringTensor read_npy_strings(const std::string& path) {
  const MappedFile file(path);
  const auto [header, data] = read_npy_header({file.data(), size_t(file.bytes())}, path);
  const auto points = width_of(header.descr, 'U'), bytes = width_of(header.descr, 'S');
  if (!points && !bytes)
    user_error("'{}' holds elements of the kind '{}'; expected strings, '<U' or '|S'", path, header.descr);
  const size_t width = points ? *points * 4 : *bytes;
  const auto count = size_t(element_count(header.shape));
  if (width == 0 ? !data.empty() : data.size() % width != 0 || data.size() / width != count)
    user_error("'{}' holds {} bytes of data, not {} strings of {} bytes", path, data.size(), count, width);
  if (width == 0 && count > size_t(file.bytes()) + (size_t(1) << 20))
    user_error("'{}' holds {} empty strings", path, count);
  StringTensor result{header.shape, {}};
  std::vector<uint32_t> element(points.value_or(0));
  FortranOrder order(header.shape);
  for (size_t i = 0; i < count; i++) {
    const size_t position = header.fortran_order ? size_t(order.next()) : i;
    const std::string_view raw = data.substr(std::min(position * width, data.size()), width);
    if (bytes) {
      result.elements.emplace_back(raw.substr(0, raw.find_last_not_of('\0') + 1));
      continue;
    }
    if (width > 0) std::memcpy(element.data(), raw.data(), width);
    result.elements.push_back(text_of(path, element.data(), element.size()));
  }
  return result;
}

bool holds_strings(const std::string& path) {
  const MappedFile file(path);
  const std::string descr = read_npy_header({file.data(), size_t(file.bytes())}, path).first.descr;
  return width_of(descr, 'U') || width_of(descr, 'S');
}

void write_npy_strings(const std::string& path, const StringTensor& strings) {
  std::vector<std::u32string> all;
  size_t points = 1, bytes = 1;  // NumPy has no elements of no characters
  for (const std::string& text : strings.elements) {
    bytes = std::max(bytes, text.size());
    auto decoded = code_points(text);
    if (!decoded) break;
    points = std::max(points, decoded->size());
    all.push_back(std::move(*decoded));
  }
  if (all.size() == strings.elements.size()) {
    std::u32string data;
    for (std::u32string& text : all) data += text, data.append(points - text.size(), U'\0');
    return write_npy_file(path, fmt::format("<U{}", points), strings.dims, data.data(), data.size() * 4);
  }
  for (const std::string& text : strings.elements) bytes = std::max(bytes, text.size());
  std::string data;
  for (const std::string& text : strings.elements) data += text, data.append(bytes - text.size(), '\0');
  write_npy_file(path, fmt::format("|S{}", bytes), strings.dims, data.data(), data.size());
}

}  // namespace cppgen::rt
