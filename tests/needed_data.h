// Data that tests need and that not every machine has. Where CI is true a test without its data fails; elsewhere it is
// skipped.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace cppgen {

inline bool in_continuous_integration() {
  const char* ci = std::getenv("CI");
  return ci && (std::string_view(ci) == "true" || std::string_view(ci) == "1" || std::string_view(ci) == "yes");
}

// The exit status of a program that has none of its data; CTest is told that 77 means skipped.
inline int status_without_data() { return in_continuous_integration() ? 1 : 77; }

}  // namespace cppgen

// Ends a test whose file or folder is missing.
#define CPPGEN_NEEDS_DATA(path)                                                 \
  if (!std::filesystem::exists(path)) {                                         \
    ASSERT_FALSE(cppgen::in_continuous_integration()) << path << " is missing"; \
    GTEST_SKIP() << path << " is missing";                                      \
  }
