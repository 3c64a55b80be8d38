#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen::schedule {

// What one unit of work of a contraction on tiles holds, as GEMM_CACHE_BLOCKING says; 0: by the sizes of the caches.
struct Blocking {
  int64_t row_tiles = 0, panels = 0;
};

// Reads "auto" or "Mt,Nt,0"; nullopt for any other text.
std::optional<Blocking> parse_blocking(std::string_view);

}  // namespace cppgen::schedule
