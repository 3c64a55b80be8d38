#include "runtime/library/functions.h"
#include "runtime/plan/calls/cumulative.h"
#include "runtime/plan/calls/dft.h"
#include "runtime/plan/calls/roi_align.h"
#include "runtime/plan/calls/scatter.h"
#include "runtime/plan/calls/topk.h"
#include "runtime/plan/calls/trees.h"

namespace cppgen::rt {
namespace {

constexpr LibraryFunction kFunctions[] = {
#define CPPGEN_LIBRARY_FUNCTION(name, create) {name, create},
#include "runtime/library/functions.def"
};

}  // namespace

std::span<const LibraryFunction> library_functions() { return kFunctions; }

}  // namespace cppgen::rt
