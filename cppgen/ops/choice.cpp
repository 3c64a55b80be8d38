#include "cppgen/ops/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cppgen::ops {

size_t choose(const InferContext& c, const char* attribute, const char* otherwise,
              const std::vector<const char*>& words) {
  const std::string given = c.text(attribute, otherwise);
  for (size_t i = 0; i < words.size(); ++i)
    if (given == words[i]) return i;
  c.fail_invalid(fmt::format("attribute '{}' is '{}'; allowed are {}", attribute, given, fmt::join(words, ", ")));
}

}  // namespace cppgen::ops
