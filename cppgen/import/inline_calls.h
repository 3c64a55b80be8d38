#pragma once
#include "cppgen/import/protos.h"

namespace cppgen::import {

// Replaces calls of functions that the model defines by the nodes of their bodies, also in the bodies of nodes. A call
// stays if its function is recursive, needs other versions of operators than the model, reads what it does not define,
// passes an absent input on, or gets too many arguments, and if the bodies of all calls would be too large. UserError
// for functions that are malformed.
void inline_calls(onnx::ModelProto&);

}  // namespace cppgen::import
