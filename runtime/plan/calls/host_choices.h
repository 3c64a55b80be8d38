#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Parameters of host functions whose numbers of results depend on the data, and of image decoding.

struct CompressCall {
  bool has_axis = false;
  int64_t axis = 0;

  template <class V>
  void fields(V& v) {
    v.value("has_axis", has_axis), v.value("axis", axis);
  }
};

struct UniqueCall {
  bool sorted = true, has_axis = false;
  int64_t axis = 0;

  template <class V>
  void fields(V& v) {
    v.value("sorted", sorted), v.value("has_axis", has_axis), v.value("axis", axis);
  }
};

struct SuppressionCall {
  bool center_point_box = false;

  template <class V>
  void fields(V& v) {
    v.value("center_point_box", center_point_box);
  }
};

struct BifurcationCall {
  int64_t fewest = 1, most = 3;  // tokens to search for

  template <class V>
  void fields(V& v) {
    v.value("fewest", fewest), v.value("most", most);
  }
};

enum class PixelFormat : uint8_t { rgb, bgr, grayscale };

struct DecodeImageCall {
  PixelFormat format = PixelFormat::rgb;

  template <class V>
  void fields(V& v) {
    v.choice("format", format, PixelFormat::grayscale);
  }
};

}  // namespace cppgen::rt
