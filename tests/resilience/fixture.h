#pragma once
#include "tests/cli/program.h"

namespace cppgen {

class Resilience : public CliTest {
 protected:
  // y = x + w, x: [4096] float32 of zeros; w lies in "w.bin" from `offset` on. Large enough that w is a constant in
  // weights.bin.
  std::string external_model(int64_t offset = 0, const std::string& file = "w.bin") const;
  // Makes the model with w inside.
  std::string inline_model(const std::string& name, float w) const;
  static constexpr int64_t kElements = 4096;
  static std::string floats(float value, int64_t count = kElements);

  // The first element of the only output for x = 0; the program must succeed.
  float first_output(const std::string& model) const;
  bool from_cache(const std::string& model) const;

  // A compiler that runs the script once, before it compiles the first source, and is g++. No probe is compiled with
  // it.
  void use_compiler(const std::string& script);

  std::string cache() const { return path("cache/cppgen"); }
  // Directories of all packages in the cache.
  std::vector<std::string> packages() const;
};

std::vector<std::string> names_in(const std::string& directory);

}  // namespace cppgen
