#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace cppgen {

// The file format of one cache entry: the ELF image, then its description (text), then a trailer with both sizes, the
// key and a SHA-256 over all of it. One file is published by one rename, and a loader ignores what follows the image.
struct CacheEntryView {
  std::string_view image;
  std::string_view name;  // of the job that built it
  std::string_view key_dump;
};

inline constexpr size_t kCacheTrailerBytes = 8 + 2 * 16 + 2 * 64;

std::string encode_cache_entry(const CacheEntryView& entry, const std::string& key);

// Views into `bytes`; nullopt, with the reason in `why`, if the entry is truncated or altered, has another key, or is
// not an entry.
std::optional<CacheEntryView> decode_cache_entry(std::string_view bytes, const std::string& key, std::string& why);

// The description of an entry from its trailer and text only, without verifying its checksum: for listings.
std::optional<CacheEntryView> decode_cache_description(std::string_view bytes);

}  // namespace cppgen
