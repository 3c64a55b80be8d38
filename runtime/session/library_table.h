#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/library/library.h"
#include "runtime/package/executable.h"

namespace cppgen::rt {

// The function that library steps of this name run, from runtime/library and the contraction engines; null if there is
// none.
const LibraryFunction* find_library_function(std::string_view name);

// One operator per step of the plan, null for kernels. UserError for a function that this runtime does not have.
std::vector<std::unique_ptr<LibraryOperator>> make_operators(const Executable&);

}  // namespace cppgen::rt
