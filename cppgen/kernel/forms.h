#pragma once
#include "cppgen/kernel/plan.h"
#include "cppgen/kernel/view.h"

// The plan of each form of kernel. plan.cpp chooses the form.
namespace cppgen::kernel {

bool is_transposed(const KernelView&);
bool slides_windows(const KernelView&);

KernelPlan plan_rows(const KernelView&);
KernelPlan plan_columns(const KernelView&);
KernelPlan plan_windows(const KernelView&);
KernelPlan plan_transposed(const KernelView&);
KernelPlan plan_tiles(const KernelView&);
KernelPlan plan_winograd(const KernelView&);
KernelPlan plan_attention(const KernelView&);

// Whether so many panels of a contraction stay in the second-level cache while rows pass over them.
bool panels_stay_in_cache(const KernelView&, IndexExpr panels);

// Common to the forms of loops: adds rows in scratch memory and the parts of sums to the plan. The innermost reduced
// loop is spread over so many accumulators of so many lanes.
void plan_locals(const KernelView&, LoopsPlan&, IndexExpr& scratch_bytes);
void plan_sums(const KernelView&, LoopsPlan&, int64_t accumulators = 1, int64_t lanes = 1);

// The loads of the innermost reduced loop of a segment of columns whose addresses are far apart.
std::vector<Prefetch> prefetch_far_rows(const KernelView&, const schedule::Segment&);
// Plans the units of columns and windows: the last loop is divided into blocks, and each point of all loops except the
// last `inner_loops` has units of its own.
void plan_column_units(const KernelView&, int64_t block, size_t inner_loops, KernelPlan&);

}  // namespace cppgen::kernel
