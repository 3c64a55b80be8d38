#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/uses.h"

// The values of an attention's statements, all in terms of the loops of its second contraction.
namespace cppgen::schedule {

// One softmax over `keys` of values that one contraction computes.
struct SoftmaxOfProduct {
  std::vector<int> statements;  // without the second contraction
  Expr query = nullptr, key = nullptr;
  ir::Loop head_size;
  Expr score = nullptr;  // accumulator 0: the product
  bool divides = false, zeros = false;
};

// The computation of the element `weights`, a load in the statement at `reader`, traced back through statements whose
// results are read only for it. Null with a reason if it is not a softmax over `keys`; the reason is empty if no
// contraction and no softmax are involved at all.
std::optional<SoftmaxOfProduct> match_softmax(Program&, const Uses&, int reader, Expr weights, const ir::Loop& keys,
                                              std::string& reason);

}  // namespace cppgen::schedule
