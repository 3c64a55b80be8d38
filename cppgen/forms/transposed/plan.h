#pragma once
#include "cppgen/forms/loops/plan.h"

namespace cppgen::forms {

// Kernels that read along one loop and write along another, in square tiles that are transposed in the cache.
struct TransposedPlan : LoopsPlan {
  struct Load {
    Expr load;
    IndexExpr offset, across;      // `across`: the distance between its lanes
    std::optional<IndexExpr> end;  // extent of the elements that exist along the last loop
    int64_t few = 0;               // extent of the tile loop if `across` is the same small constant, otherwise 0
  };
  struct NextTile {
    BufferId buffer;
    IndexExpr offset, stride;  // the start of the first row, and the distance between rows
    bool transposed;
  };
  int64_t side = 1;   // elements of a tile's side
  int64_t width = 1;  // columns of a unit
  std::vector<Load> loads;
  std::vector<NextTile> next_tiles;
  bool moves =
      false;  // rows of the only tile are stored as they are, of types whose vectors are shorter than registers

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;

 protected:
  LoopCosts costs() const override { return {.transposed = true}; }
};

}  // namespace cppgen::forms
