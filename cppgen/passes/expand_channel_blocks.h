#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Operators of com.microsoft.nchwc, which ONNX Runtime writes for one machine: channels stand in blocks of 8 or 16, as
// many as a vector has floats, the last one filled with zeros; shapes are [N, channels of all blocks, height, width].
// They become ONNX's own over [N, C, H, W] with as many channels, and the weights are put in order. The file does not
// say the size of blocks: it is 8 where some number of channels is no multiple of 16, else 16. One whose weights are no
// constants is left alone, so the support check names it.
// tests/idioms/optimised.py
void expand_channel_blocks(Graph&);

}  // namespace cppgen::passes
