#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of host functions on sequences, maps and values of unknown rank.

struct SplitToSequenceCall {
  int64_t axis = 0;
  bool keeps_axis = true;  // for parts of one element

  template <class V>
  void fields(V& v) {
    v.value("axis", axis), v.value("keeps_axis", keeps_axis);
  }
};

struct ConcatFromSequenceCall {
  int64_t axis = 0;
  bool new_axis = false;

  template <class V>
  void fields(V& v) {
    v.value("axis", axis), v.value("new_axis", new_axis);
  }
};

struct RankCall {
  int64_t rank = 0;

  template <class V>
  void fields(V& v) {
    v.size("rank", rank);
  }
};

// The reason of a step that ends, or may end, a run.
struct MessageCall {
  std::string message;

  template <class V>
  void fields(V& v) {
    v.value("message", message);
  }
};

// The keys of maps, in one of the two types: those of a list of maps, or the vocabulary of a reader of maps.
struct KeysCall {
  std::vector<std::string> texts;
  std::vector<int64_t> integers;

  template <class V>
  void fields(V& v) {
    v.list("texts", texts), v.list("integers", integers);
  }
};

enum class MapValues : uint8_t { float32, int64, string };

struct CastMapCall {
  int64_t size = -1;  // length of the row of values, with an entry for each key; -1: values in the order of keys
  MapValues to = MapValues::float32;

  template <class V>
  void fields(V& v) {
    v.value("size", size), v.choice("values", to, MapValues::string);
  }
};

}  // namespace cppgen::rt
