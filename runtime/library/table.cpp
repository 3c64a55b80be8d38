#include "runtime/library/cumsum.h"
#include "runtime/library/dft.h"
#include "runtime/library/library.h"
#include "runtime/library/roi_align.h"
#include "runtime/library/scatter.h"
#include "runtime/library/topk.h"
#include "runtime/library/trees.h"

namespace cppgen::rt {
namespace {

// clang-format off
constexpr LibraryFunction kFunctions[] = {
    {"cumprod", create_cumprod},
    {"cumsum", create_cumsum},
    {"dft", create_dft},
    {"roi_align", create_roi_align},
    {"scatter_elements", create_scatter_elements},
    {"scatter_nd", create_scatter_nd},
    {"topk", create_topk},
    {"trees", create_trees},
};
// clang-format on

}  // namespace

std::span<const LibraryFunction> library_functions() { return kFunctions; }

}  // namespace cppgen::rt
