#pragma once
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// One access of a kernel to memory, with its offset under the layouts.
struct Access {
  ir::Expr load = nullptr;  // null: a store
  ir::BufferId buffer;
  IndexExpr offset;
};
std::vector<Access> accesses_of(const ir::Program&, const Layouts&, const FusedKernel&);

// Tells whether a stride is 1, or is 1 or 0 at run time, as for an operand whose extent may be 1. (It is -1 if there is
// no element.)
bool moves_by_one_or_none(IndexExpr stride);

// An offset that depends on a loop only as `step` x floordiv(`lane`, `lanes`), where `lane` moves by 1 with the loop:
// `lanes` neighbouring points share an element.
struct RepeatedElements {
  IndexExpr lane;
  int64_t lanes, step;
};
std::optional<RepeatedElements> repeated_elements(IndexExpr offset, const ir::IndexNode* loop);

// If a load's only condition is that `loop` is before some position, after which the value is a constant, returns that
// position.
std::optional<IndexExpr> end_of_load(ir::Expr load, const ir::Loop& loop);

// Orders the outer loops so that the fastest dimension of what is stored comes last, decides what is vectorised, finds
// transposed access, orders and joins loops that run over contiguous memory. With PICK_LOOP_ORDERS=0, loops keep the
// order of their nests.
void order_loops(ir::Program&, const Layouts&, const Options&, const Tuning&, FusedKernel&);

}  // namespace cppgen::schedule
