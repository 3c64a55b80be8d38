#pragma once
#include <optional>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Helpers that passes over quantized graphs share. x = (q - zero) scale, where q is an 8-bit integer; a bias has 32
// bits.
struct Quantization {
  DType type;                     // of q
  std::vector<double> scales;     // one, or one for each position along `axis`; float32 values
  std::vector<int64_t> zeros;     // likewise
  ValueId zero_input = kNoValue;  // kNoValue: zero
  int axis = -1;                  // -1: one scale for all

  bool operator==(const Quantization& o) const {
    return type == o.type && scales == o.scales && zeros == o.zeros && axis == o.axis;
  }
  bool per_tensor() const { return axis < 0; }
};

inline bool is_bytes(DType t) { return t == DType::u8 || t == DType::i8; }

// The parameters of a QuantizeLinear or DequantizeLinear between float32 and 8 (or, if allowed, 32) bits: nullopt for
// other nodes, or if a parameter is not constant, or scales are not finite, normal and positive, or belong to blocks.
std::optional<Quantization> quantization_of(const Graph&, const Node&);

// The node of this operator (in ONNX's own domain) that computes the value; null if another node or none does.
const Node* producer(const Graph&, ValueId, const char* op);

// x if the value is DequantizeLinear(x), with its parameters.
struct Dequantized {
  ValueId x;
  Quantization parameters;
};
std::optional<Dequantized> dequantized(const Graph&, ValueId);

// Returns whether the sum of products of bytes fits 32 bits whatever the bytes are: K is known and small
// enough.
bool sum_fits(const Graph&, ValueId right, bool convolution, bool transposed = false);

// Operators that move elements of their first input without reading them: Reshape, Transpose, Slice ...; Concat of all
// inputs. MaxPool is included, because it only compares, and quantization preserves order.
bool moves_elements(const Node&);

}  // namespace cppgen::passes
