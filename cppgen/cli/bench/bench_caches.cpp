#include "cppgen/cli/bench/bench_caches.h"

#include <fmt/format.h>

namespace cppgen {

BenchCaches::BenchCaches(bool cold) {
  if (cold) directory_.emplace(cleaned_temp_directory("cppgen-bench."), "cppgen-bench.");
}

Settings BenchCaches::of(Settings settings) {
  if (!directory_) return settings;
  settings.cache_dir = fmt::format("{}/cache_{}", directory_->path(), count_++);
  settings.cache_dir_shared.clear();
  settings.remote_cache.clear();
  return settings;
}

}  // namespace cppgen
