#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Each function is described with its parameters, in runtime/plan/calls.
#define CPPGEN_LIBRARY_FUNCTION(name, create) std::unique_ptr<LibraryOperator> create(const LibraryCall&);
#include "runtime/library/functions.def"

}  // namespace cppgen::rt
