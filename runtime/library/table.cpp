#include "runtime/library/library.h"
#include "runtime/library/topk.h"

namespace cppgen::rt {
namespace {

constexpr LibraryFunction kFunctions[] = {
    {"topk", create_topk},
};

}  // namespace

std::span<const LibraryFunction> library_functions() { return kFunctions; }

}  // namespace cppgen::rt
