#pragma once
#include "cppgen/ops/op.h"

namespace cppgen::ops {

// Strings are the host's. Operators that take tensors of numbers as well ask these first: true if inputs or outputs are
// strings (or, where ranks do not matter, of unknown rank); then the outputs are set.
void require_strings(InferContext&, int input);
std::vector<std::string> texts(InferContext&, const char* attribute);  // none if it is absent
// An output of this element type with the dimensions of an input, whose rank may be unknown.
void set_like(InferContext&, int output, DType, int input);

bool infer_string_cast(InferContext&);  // Cast, CastLike
bool infer_string_comparison(InferContext&);
bool infer_host_shape(InferContext&);
bool infer_host_size(InferContext&);

// What the host does then.
rt::HostStep host_string_cast(InferContext&);
rt::HostStep host_equal_strings(InferContext&);
rt::HostStep host_shape(InferContext&);
rt::HostStep host_size(InferContext&);

}  // namespace cppgen::ops
