#pragma once
#include "runtime/plan/plan.h"

namespace cppgen::rt {

// The size if it depends on no symbol; -1 if only a run knows it.
inline int64_t known_size(const DimExpr& dim) {
  for (size_t i = 0; i < dim.code.size(); i++) {
    if (dim.code[i] == int64_t(DimOp::symbol)) return -1;
    if (dim.code[i] == int64_t(DimOp::constant)) i++;
  }
  return evaluate(dim, {});
}

}  // namespace cppgen::rt
