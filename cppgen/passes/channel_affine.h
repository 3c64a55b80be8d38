#pragma once
#include <optional>
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// y[n, c, ...] = scale[c] * x[n, c, ...] + shift[c] over dimension 1 of x. A single element applies to all channels.
struct ChannelAffine {
  std::vector<double> scale{1.0}, shift{0.0};

  // The composition with `next`, applied after this.
  ChannelAffine then(const ChannelAffine& next) const;
  bool is_finite() const;
};

struct AffineStep {
  ValueId input;  // x
  ChannelAffine affine;
};

// The node as an affine step, if it is one: BatchNormalization at inference, or Add, Sub, Mul, Div with a constant that
// varies at most along dimension 1, on float32 or float64 with a known number of channels. Parameters are widened to
// double.
std::optional<AffineStep> as_affine_step(const Graph&, const Node&);

}  // namespace cppgen::passes
