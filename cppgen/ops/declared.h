#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// Operators whose output shape depends on an input that is known only at run time (the shape of Reshape, the axes of
// Unsqueeze). If the model declares the output's shape, that shape is used, and the kernel checks the input's values
// against it: a run that contradicts the declaration ends with an error that names the node.

// nullopt if the model declares nothing, or not all dimensions.
std::optional<Shape> declared_shape(const InferContext&, int output);

// declared_shape; if there is none, symbols for the dimensions that a run computes if the operator has a `resolve`;
// else fails with "input `i` (`what`) must be constant, or the output's shape must be declared".
Shape require_declared(InferContext&, int input, const char* what, const std::optional<PartialShape>& = std::nullopt);
inline PartialShape unknown_dims(size_t rank) { return PartialShape(rank); }
// Returns whether the output's dimensions are such symbols.
bool is_resolved(const InferContext&);

// For `resolve`, stores the dimensions of the output, or -1 unless all conditions hold.
void emit_dims(LowerContext&, ir::BufferId dims, const std::vector<Scalar>&);
Scalar valid_or_refused(LowerContext&, Scalar dim, const std::vector<Scalar>& conditions);

// True if elements of input `i` are known only at run time.
bool is_run_time(const InferContext&, int input);

// Element `k` of a one-dimensional (or scalar) integer input, as int64.
Scalar integer_element(LowerContext&, int input, int64_t k);
int64_t element_count(InferContext&, int input);  // must be constant

// Returns whether the axes in input `i` list dimension `d` of `rank`, counted from the front or from the end.
Scalar lists_axis(LowerContext&, int input, int64_t d, int64_t rank);

// The value if all conditions hold; otherwise the run ends with an error that names the node and says this.
Scalar checked(LowerContext&, Scalar value, const std::vector<Scalar>& conditions,
               const std::string& otherwise =
                   "the inputs of this run are not allowed, or its result does not have the "
                   "declared shape.");

}  // namespace cppgen::ops
