#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Regions of images sampled on a grid of cells: ONNX's RoiAlign. Each cell is the average or the greatest of its
// samples, which weigh the four pixels around them. UserError for images out of range; less than 0: counted from the
// end.
//   inputs:  images [n, h, w, c], regions [r, 4] as (x1, y1, x2, y2), the image of each (int64)
//   outputs: cells [r, c, oh, ow]; all floats of one type
// Parameters: the type (float32 or float64), the dimensions of images and cells, samples along each axis of a cell (0:
// as many as the pixels that it covers), 1 for the greatest, 1 for regions that begin in the middle of a pixel. The
// number: what regions are scaled by.
enum RoiAlignParam {
  kRoiDType,
  kRoiImages,
  kRoiHeight,
  kRoiWidth,
  kRoiChannels,
  kRoiRegions,
  kRoiCellRows,
  kRoiCellColumns,
  kRoiSamples,
  kRoiGreatest,
  kRoiHalfPixel,
  kRoiParams
};

std::unique_ptr<LibraryOperator> create_roi_align(const LibraryCall&);

}  // namespace cppgen::rt
