#pragma once
#include "cppgen/ops/op.h"

namespace cppgen::ops {

// Strings are handled by the host. Operators that also accept numeric tensors call these first: true if inputs or
// outputs are strings (or, if ranks do not matter, of unknown rank); the outputs are then set.
void require_strings(InferContext&, int input);
std::vector<std::string> texts(InferContext&, const char* attribute);  // none if it is absent
// An output of this element type with the dimensions of an input, whose rank may be unknown.
void set_like(InferContext&, int output, DType, int input);

bool infer_string_cast(InferContext&);  // Cast, CastLike
bool infer_string_comparison(InferContext&);
bool infer_host_shape(InferContext&);
bool infer_host_size(InferContext&);

// The host step in this case.
rt::HostStep host_string_cast(InferContext&);
rt::HostStep host_equal_strings(InferContext&);
rt::HostStep host_shape(InferContext&);
rt::HostStep host_size(InferContext&);

}  // namespace cppgen::ops
