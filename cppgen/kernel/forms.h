#pragma once
#include "cppgen/kernel/plan.h"

// The plan of each form of kernel. plan.cpp chooses among them.
namespace cppgen::kernel {

bool is_transposed(const KernelView&);
bool slides_windows(const KernelView&);

KernelPlan plan_rows(const KernelView&);
KernelPlan plan_columns(const KernelView&);
KernelPlan plan_windows(const KernelView&);
KernelPlan plan_transposed(const KernelView&);
KernelPlan plan_tiles(const KernelView&);
KernelPlan plan_attention(const KernelView&);

// What the forms of loops share. Adds rows in scratch and the parts of sums to the plan.
void plan_locals(const KernelView&, LoopsPlan&, IndexExpr& scratch_bytes);
void plan_sums(const KernelView&, LoopsPlan&);

// What the innermost reduced loop of a segment of columns reads far apart.
std::vector<Prefetch> prefetch_far_rows(const KernelView&, const schedule::Segment&);
// Units of columns and windows: the last loop in blocks, all loops but the last `inner_loops` by points.
void plan_column_units(const KernelView&, int64_t block, size_t inner_loops, KernelPlan&);

}  // namespace cppgen::kernel
