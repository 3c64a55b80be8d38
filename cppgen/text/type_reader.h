#pragma once
#include "cppgen/graph/graph.h"
#include "cppgen/text/index_reader.h"

namespace cppgen::text {

// `float32[N, 4]`, `sequence string[*]` or `?`, and then perhaps `is [N, 4]`, the known elements.
void read_type(Reader&, const FindVariable&, Value&);

}  // namespace cppgen::text
