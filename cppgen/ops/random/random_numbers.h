#pragma once
#include <cstdint>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// Random numbers that are functions of a stream and a position: Philox 2x32 with ten rounds (Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011), computed as an ordinary value of a loop nest. So they are
// the same on the interpreter and in kernels, for every order of points, every number of threads, and in every run.
//
// Only operations that IEEE 754 rounds exactly are used, logarithm and cosine included: bits do not depend on the ISA.
class RandomStream {
 public:
  // Nodes with the same attribute `seed` share a stream. Without the attribute, a node has its own stream, selected by
  // its name: results are reproducible, and a loop that runs the node again gets the same numbers.
  static RandomStream of_node(LowerContext&);
  RandomStream(LowerContext& c, uint64_t stream) : c_(c), stream_(stream) {}

  // Uniform in [0, 1), of type float32 or float64: a multiple of 2^-24 or 2^-53.
  Scalar uniform(IndexExpr position, DType type) const;
  // Standard normal, by Box and Muller's transform of 32 bits each for radius and angle: at most 6.67.
  Scalar normal(IndexExpr position, DType type) const;
  // Exponential with mean 1, greater than 0, float64.
  Scalar exponential(IndexExpr position) const;

 private:
  struct Words {
    Scalar first, second;  // uint32
  };
  Words words(IndexExpr position) const;

  LowerContext& c_;
  uint64_t stream_;
};

}  // namespace cppgen::ops
