#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of functions of the host on sequences, maps and values of unknown rank.

struct SplitToSequenceCall {
  int64_t axis = 0;
  bool keeps_axis = true;  // of parts of one element

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

// Of what ends a run, or may: why.
struct MessageCall {
  std::string message;

  template <class V>
  void fields(V& v) {
    v.value("message", message);
  }
};

// The keys of maps, in one of the two types: those that a list of maps has, or the vocabulary of what reads a map.
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
  int64_t size = -1;  // of the row of values with one at each key; -1: they stand in the order of their keys
  MapValues to = MapValues::float32;

  template <class V>
  void fields(V& v) {
    v.value("size", size), v.choice("values", to, MapValues::string);
  }
};

}  // namespace cppgen::rt
