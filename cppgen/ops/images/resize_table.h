#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cppgen::ops {

inline constexpr int64_t kMaxResizedExtent = int64_t(1) << 24;  // of a resized axis: tables stay small

// A scale that sizes state: up / down, both at least 1 (`up` may be 0 if the axis becomes empty).
struct ScaleRatio {
  int64_t up, down;
};

// The attributes of ONNX Resize that determine how one axis is resampled.
struct ResizeAxis {
  int axis;
  int64_t in, out;
  double scale;
  std::optional<ScaleRatio> ratio{};  // the scale, exactly, if sizes are given
  double roi_start = 0, roi_end = 1;
};

enum class Interpolation : uint8_t { nearest, linear, cubic };
enum class Coordinates : uint8_t {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_half_pixel_for_nn,
  tf_crop_and_resize
};
// by_scale, as in version 10: rounds up if the axis shrinks, else down.
enum class NearestMode : uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil, by_scale };

enum class ResizePolicy : uint8_t { stretch, not_larger, not_smaller };

struct ResizeMode {
  Interpolation mode = Interpolation::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  NearestMode nearest = NearestMode::round_prefer_floor;
  double cubic_a = -0.75;
  bool exclude_outside = false, antialias = false;
};

// Holds, for each output position, `taps` input positions (clamped into the axis) and their weights.
struct ResizeTable {
  int64_t taps;
  std::vector<int64_t> positions;  // [out, taps]
  std::vector<double> weights;     // [out, taps]
  std::vector<bool> outside;       // [out]: for tf_crop_and_resize: the coordinate is outside the input
};
ResizeTable make_resize_table(const ResizeAxis&, const ResizeMode&);

}  // namespace cppgen::ops
