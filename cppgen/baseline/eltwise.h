#pragma once
#include <optional>

#include "cppgen/baseline/layout.h"
#include "cppgen/graph/graph.h"

namespace cppgen::baseline {

// A function that oneDNN computes for each element; see its documentation for the meaning of alpha and beta.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
  ValueId input = kNoValue;
};

// The node as such a function of one of its inputs; Add, Sub, Mul, Div and Pow if the other input is a constant with
// one element.
std::optional<Eltwise> eltwise_of(const Graph&, const Node&);

// If both are post-operations of one primitive, oneDNN 2.6 uses the parameters of one of them for both.
bool confuses(const Eltwise&, const Eltwise&);

// Add, Sub, Mul, Div, Max and Min of two float32 tensors.
std::optional<dnnl::algorithm> binary_of(const Graph&, const Node&);
bool is_commutative(dnnl::algorithm);

}  // namespace cppgen::baseline
