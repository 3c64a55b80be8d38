#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Each function is described with its parameters, in runtime/plan/calls.
std::unique_ptr<LibraryOperator> create_cumsum(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_cumprod(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_dft(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_roi_align(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_scatter_elements(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_scatter_nd(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_topk(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_trees(const LibraryCall&);

}  // namespace cppgen::rt
