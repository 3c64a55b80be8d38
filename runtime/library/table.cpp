#include "runtime/library/functions.h"
#include "runtime/plan/calls/cumulative.h"
#include "runtime/plan/calls/dft.h"
#include "runtime/plan/calls/roi_align.h"
#include "runtime/plan/calls/scatter.h"
#include "runtime/plan/calls/topk.h"
#include "runtime/plan/calls/trees.h"

namespace cppgen::rt {
namespace {

// clang-format off
constexpr LibraryFunction kFunctions[] = {
    {kCumProd, create_cumprod},
    {kCumSum, create_cumsum},
    {kDft, create_dft},
    {kRoiAlign, create_roi_align},
    {kScatterElements, create_scatter_elements},
    {kScatterNd, create_scatter_nd},
    {kTopK, create_topk},
    {kTrees, create_trees},
};
// clang-format on

}  // namespace

std::span<const LibraryFunction> library_functions() { return kFunctions; }

}  // namespace cppgen::rt
