#pragma once
#include <optional>

#include "cppgen/kernel/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::kernel {

// Instructions of vectors, as in KernelWork.
struct Instructions {
  IndexExpr simple = 0, multi_instruction = 0, functions = 0;
};
inline Instructions operator+(const Instructions& a, const Instructions& b) {
  return {a.simple + b.simple, a.multi_instruction + b.multi_instruction, a.functions + b.functions};
}
inline Instructions operator*(IndexExpr times, const Instructions& n) {
  return {times * n.simple, times * n.multi_instruction, times * n.functions};
}

inline void set_instructions(KernelWork& work, const Instructions& n) {
  work.instructions = n.simple, work.multi_instruction = n.multi_instruction, work.functions = n.functions;
}

// Estimates how many instructions the segments of a kernel of loops take.
Instructions loop_instructions(const KernelView&, const LoopCosts&);
// The same for the segment that follows a contraction: its lanes are points of `columns`.
Instructions epilogue_instructions(const KernelView&, const std::vector<ir::Loop>& batch, const ir::Loop& columns);
// Tells whether each step of the reduction multiplies and adds, as in a contraction.
bool is_sum_of_products(const ir::Reduction&);
// The exponent of a power that is computed with products and roots.
std::optional<int> exponent_in_quarters(Expr power);
// Estimates those for one vector at each root. Loads count as if they were contiguous.
Instructions instructions_of_vector(const std::vector<Expr>& roots, const schedule::Target&);

}  // namespace cppgen::kernel
