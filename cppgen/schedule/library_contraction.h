#pragma once
#include <optional>
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// What engines that are library functions share: their steps write the raw sums into a buffer of its own.

// A contraction as such a step, what has to run before it, and the nest's stores, which follow as a pointwise nest.
struct LibraryPreparation {
  std::optional<ir::LoopNest> padding, packing;  // copies of the left and of the right operand
  std::optional<PackedConstant> packed;
  LibraryStep step;
  ir::LoopNest epilogue;
};

// The nest keeps its sums only, and stores them into the buffer that is returned, dense over `order`, the loops of the
// nest; `epilogue` becomes what it stored until now.
BufferId split_epilogue(Program&, Layouts&, LoopNest& nest, const std::vector<ir::Loop>& order, LoopNest& epilogue);

// The stride of several loops taken as one, the last fastest; nullopt if they are not evenly spaced.
std::optional<IndexExpr> joint_stride(IndexExpr offset, const std::vector<ir::Loop>& loops);

// The offset where all loops begin.
IndexExpr start_of(IndexExpr offset);

}  // namespace cppgen::schedule
