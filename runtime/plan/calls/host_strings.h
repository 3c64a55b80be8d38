#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of host functions on strings.

struct StringConstantCall {
  std::vector<int64_t> dims;
  std::vector<std::string> elements;

  template <class V>
  void fields(V& v) {
    v.sizes("dimensions", dims), v.list("elements", elements);
  }
};

// Parameters of conversions, also of bit casts.
struct TypeCall {
  DType type = DType::f32;

  template <class V>
  void fields(V& v) {
    v.value("type", type);
  }
};

struct DimsCall {
  int64_t begin = 0, end = 0;  // negative: counted from the end

  template <class V>
  void fields(V& v) {
    v.value("begin", begin), v.value("end", end);
  }
};

enum class CaseChange : uint8_t { none, lower, upper };

struct NormalizeCall {
  CaseChange change = CaseChange::none;
  bool case_counts = false;
  std::vector<std::string> stop_words;  // words to remove

  template <class V>
  void fields(V& v) {
    v.choice("case_change", change, CaseChange::upper), v.value("case_counts", case_counts);
    v.list("stop words", stop_words);
  }
};

struct PatternCall {
  std::string pattern;

  template <class V>
  void fields(V& v) {
    v.value("pattern", pattern);
  }
};

struct StringSplitCall {
  std::string delimiter;  // none: runs of spaces
  int64_t most = -1;      // maximum number of splits; negative: unlimited

  template <class V>
  void fields(V& v) {
    v.value("delimiter", delimiter), v.value("most", most);
  }
};

// Tokens are each character; the text between the matches of several patterns in turn; or the matches of a pattern.
enum class TokenKind : uint8_t { characters, separated, matches };

struct TokensCall {
  bool marked = false;  // rows start and end with a mark
  int64_t fewest = 1;   // minimum number of characters of a token
  TokenKind kind = TokenKind::characters;
  std::string filling;  // fills rows that are shorter than the longest one
  std::vector<std::string> patterns;

  template <class V>
  void fields(V& v) {
    v.value("marked", marked), v.size("fewest", fewest), v.choice("kind", kind, TokenKind::matches);
    v.value("filling", filling), v.list("patterns", patterns);
  }
};

struct WordsCall {
  std::vector<std::string> words;

  template <class V>
  void fields(V& v) {
    v.list("words", words);
  }
};

struct HashCall {
  bool is_unsigned = true;
  int64_t seed = 0;

  template <class V>
  void fields(V& v) {
    v.value("unsigned", is_unsigned), v.value("seed", seed);
  }
};

}  // namespace cppgen::rt
