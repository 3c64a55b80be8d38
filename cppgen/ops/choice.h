#pragma once
#include <utility>
#include <vector>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

// The position of an attribute's text among the allowed words; UserError that lists them.
size_t choose(const InferContext&, const char* attribute, const char* otherwise, const std::vector<const char*>& words);

// The value of the word in an attribute, or of the default word if the attribute is absent:
//   choice<bool>(c, "mode", "DCR", {{"DCR", false}, {"CRD", true}})
template <class Meaning>
Meaning choice(const InferContext& c, const char* attribute, const char* otherwise,
               const std::vector<std::pair<const char*, Meaning>>& meanings) {
  std::vector<const char*> words;
  for (const auto& row : meanings) words.push_back(row.first);
  return meanings[choose(c, attribute, otherwise, words)].second;
}

}  // namespace cppgen::ops
