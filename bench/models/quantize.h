#pragma once
#include <string>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen::bench {

// Writes a copy of a float32 model to `to` with QuantizeLinear and DequantizeLinear around its products, convolutions
// and pools (of images also additions), and after its products: activations as uint8 of one range, which is that of a
// few random inputs, and constant weights as int8 with a scale per column or output channel. `request` says where the
// model is and how it is compiled to find the ranges. The new file contains the weights. UserError for an opset before
// 13 and for models beyond what protobuf can write.
void write_quantized(const CompileRequest& request, const std::string& to);

}  // namespace cppgen::bench
