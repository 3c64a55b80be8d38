#pragma once
#include <optional>

#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The caches that `bench` uses: those of the user, or with --cold empty ones, which go away with the object.
class BenchCaches {
 public:
  explicit BenchCaches(bool cold);

  // Settings with these caches; with --cold, each call gives an empty one.
  Settings of(Settings);

 private:
  std::optional<TempDirectory> directory_;
  int count_ = 0;
};

}  // namespace cppgen
