#pragma once

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// Regions of images sampled on a grid of cells: ONNX's RoiAlign. Each cell is the average or the maximum of its
// samples, which interpolate the four pixels around them. UserError for image numbers out of range; negative ones count
// from the end.
//   inputs:  images [n, h, w, c], regions [r, 4] as (x1, y1, x2, y2), the image of each (int64)
//   outputs: cells [r, c, oh, ow]; all floats of one type, float32 or float64
inline constexpr const char* kRoiAlign = "roi_align";

template <class Int>
struct RoiAlignCall {
  DType type = DType::f32;
  Int images = 0, height = 0, width = 0, channels = 0, regions = 0, cell_rows = 0, cell_columns = 0;
  int64_t samples = 0;      // samples along each axis of a cell; 0: as many as the pixels that it covers
  bool greatest = false;    // the maximum of the samples instead of their average
  bool half_pixel = false;  // coordinates of regions refer to the centres of pixels
  double scale = 1;         // of regions

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.size("images", images), v.size("height", height), v.size("width", width);
    v.size("channels", channels), v.size("regions", regions);
    v.size("rows of cells", cell_rows), v.size("columns of cells", cell_columns);
    v.value("samples", samples), v.value("greatest", greatest), v.value("half_pixel", half_pixel);
    v.value("scale", scale);
  }
};

}  // namespace cppgen::rt
