#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// A function of one element and up to two parameters: one row for all operators that use it. Operators with its name
// are pointwise; others name it in an attribute.
struct Activation {
  struct Parameter {
    const char* attribute = nullptr;  // of the pointwise operator; null if there is no such parameter
    float fallback = 0;
  };
  enum Users : uint8_t {
    pointwise = 1,  // operators of this name, or of an alias
    gate = 2,       // RNN, GRU, LSTM
    fused = 4,      // FusedConv, FusedGemm, FusedMatMulActivation
    state = 8,      // CausalConvWithState
  };
  std::string_view name;
  int since;       // of several rows with one name, the last one that does not exceed the operator set is used
  unsigned users;  // operators whose attributes may name it
  Parameter parameters[2];
  Scalar (*function)(Scalar x, double first, double second);
  std::string_view alias = {};  // another name

  int parameter_count() const { return parameters[0].attribute ? parameters[1].attribute ? 2 : 1 : 0; }
  // The function with the parameters in the attributes of these names, or with the defaults.
  Scalar operator()(InferContext&, Scalar x) const;
};

// The row with this name for these users (names of gates are case-insensitive); null if they have none. `opset` is that
// of ONNX's own domain; other users get the newest row.
inline constexpr int kNewestRow = 1 << 20;
const Activation* find_activation(std::string_view name, unsigned users, int opset = kNewestRow);
// The names that these users accept, in the order of the table: "Relu, Tanh".
std::string activation_names(unsigned users);
// The row that the attribute `activation` names for these users, or else `otherwise`; fails if there is none.
const Activation& activation_attribute(InferContext&, const char* otherwise, unsigned users);

}  // namespace cppgen::ops
