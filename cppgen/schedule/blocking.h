#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen::schedule {

// The size of a unit of work of a contraction on tiles, by GEMM_CACHE_BLOCKING. 0: it is chosen for the caches.
struct Blocking {
  int64_t row_tiles = 0, panels = 0;
};

// Reads "auto" or "Mt,Nt,0"; nullopt for any other text.
std::optional<Blocking> parse_blocking(std::string_view);

}  // namespace cppgen::schedule
