#include "cppgen/compile/cache_entry.h"

#include <fmt/format.h>

#include <charconv>

#include "cppgen/support/hashing.h"

namespace cppgen {

namespace {

constexpr std::string_view kMagic = "cppgenK1";

struct Trailer {
  size_t image_size = 0;
  size_t text_size = 0;
  std::string_view key;
  std::string_view sum;
};

bool parse_size(std::string_view digits, size_t& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return error == std::errc() && end == digits.data() + digits.size();
}

std::optional<Trailer> parse_trailer(std::string_view bytes) {
  if (bytes.size() < kCacheTrailerBytes) return std::nullopt;
  std::string_view rest = bytes.substr(bytes.size() - kCacheTrailerBytes);
  if (!rest.starts_with(kMagic)) return std::nullopt;
  Trailer trailer;
  if (!parse_size(rest.substr(8, 16), trailer.image_size) || !parse_size(rest.substr(24, 16), trailer.text_size)) {
    return std::nullopt;
  }
  trailer.key = rest.substr(40, 64);
  trailer.sum = rest.substr(104, 64);
  const size_t body = bytes.size() - kCacheTrailerBytes;
  if (trailer.image_size > body || body - trailer.image_size != trailer.text_size) return std::nullopt;
  return trailer;
}

std::string sum_of(std::string_view body, std::string_view trailer_head) {
  return Hasher().field("body", body).field("trailer", trailer_head).hex();
}

CacheEntryView view_of(std::string_view bytes, const Trailer& trailer) {
  CacheEntryView view;
  view.image = bytes.substr(0, trailer.image_size);
  const std::string_view text = bytes.substr(trailer.image_size, trailer.text_size);
  const size_t end = std::min(text.find('\n'), text.size());
  view.name = text.substr(0, end);
  view.key_dump = text.substr(std::min(end + 1, text.size()));
  return view;
}

}  // namespace

std::string encode_cache_entry(const CacheEntryView& entry, const std::string& key) {
  std::string name(entry.name);
  for (char& c : name) c = c == '\n' ? ' ' : c;
  std::string bytes(entry.image);
  bytes += name + "\n";
  bytes += entry.key_dump;
  const std::string head =
      fmt::format("{}{:016x}{:016x}{}", kMagic, entry.image.size(), bytes.size() - entry.image.size(), key);
  const std::string sum = sum_of(bytes, head);
  return bytes + head + sum;
}

std::optional<CacheEntryView> decode_cache_entry(std::string_view bytes, const std::string& key, std::string& why) {
  const auto trailer = parse_trailer(bytes);
  if (!trailer) {
    why = "it is truncated or not a cache entry";
    return std::nullopt;
  }
  if (trailer->key != key) {
    why = "it belongs to another key";
    return std::nullopt;
  }
  const size_t body = bytes.size() - kCacheTrailerBytes;
  if (sum_of(bytes.substr(0, body), bytes.substr(body, kCacheTrailerBytes - 64)) != trailer->sum) {
    why = "its content was altered";
    return std::nullopt;
  }
  return view_of(bytes, *trailer);
}

std::optional<CacheEntryView> decode_cache_description(std::string_view bytes) {
  const auto trailer = parse_trailer(bytes);
  if (!trailer) return std::nullopt;
  return view_of(bytes, *trailer);
}

}  // namespace cppgen
