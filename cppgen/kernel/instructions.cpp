// How many instructions kernels of loops execute, estimated: each value is computed once per vector at the innermost
// loop that it depends on.
#include <algorithm>
#include <unordered_map>

#include "cppgen/ir/op_table.h"
#include "cppgen/kernel/work.h"
#include "cppgen/schedule/kernels/vector_loop.h"

namespace cppgen::kernel {
namespace {

using ir::ExprKind;
using ir::Loop;
using schedule::Segment;

// Instructions, where an average one can be started each half cycle.
constexpr int64_t kOfDivision = 12;
constexpr int64_t kOfFunction = 24;
constexpr int64_t kOfPosition = 3;
constexpr int64_t kOfMaximum = 3, kOfMinimum = 2;  // they propagate NaNs and order zeros
constexpr int64_t kOfRowSum = 2;
constexpr int64_t kTransposedAccess = 6;
constexpr int64_t kOfApartLane = 4;  // of each lane of an access whose lanes are far apart
constexpr int64_t kFloatBytes = 4;
// The least that divisions and functions take, in multiply-adds: additions, shifts and blends may have ports of their
// own.
constexpr int64_t kLeastOfDivision = 8, kLeastOfFunction = 8;

int64_t of_cost(ir::OperationCost cost) {
  switch (cost) {
    case ir::OperationCost::instruction:
      return 1;
    case ir::OperationCost::division:
      return kOfDivision;
    case ir::OperationCost::function:
      return kOfFunction;
  }
  return 1;
}

// Vectors of wider elements than float32 come in several parts.
int64_t vector_parts(DType type) { return std::max<int64_t>(1, int64_t(size_of(type)) / kFloatBytes); }

// With a constant bound, one instruction is enough.
bool is_exact_extremum(Expr e) {
  const auto is_constant = [](Expr x) { return x->kind == ExprKind::constant; };
  return (e->binary == ir::BinaryOp::max || e->binary == ir::BinaryOp::min) && is_float(e->type) &&
         !is_constant(e->args[0]) && !is_constant(e->args[1]);
}

// Of a value itself, without its operands and accesses to memory.
int64_t of_value(Expr e) {
  switch (e->kind) {
    case ExprKind::unary:
      return of_cost(ir::row_of(e->unary).cost) * vector_parts(e->type);
    case ExprKind::binary:
      if (is_exact_extremum(e))
        return (e->binary == ir::BinaryOp::max ? kOfMaximum : kOfMinimum) * vector_parts(e->type);
      return of_cost(ir::row_of(e->binary).cost) * vector_parts(e->args[0]->type);
    case ExprKind::select:
    case ExprKind::cast:
      return vector_parts(e->type);
    default:
      return 0;
  }
}

int64_t least_of_cost(ir::OperationCost cost) {
  switch (cost) {
    case ir::OperationCost::instruction:
      return 0;
    case ir::OperationCost::division:
      return kLeastOfDivision;
    case ir::OperationCost::function:
      return kLeastOfFunction;
  }
  return 0;
}

int64_t least_of_value(Expr e) {
  if (!is_float(e->type)) return 0;
  if (e->kind == ExprKind::unary) return least_of_cost(ir::row_of(e->unary).cost) * vector_parts(e->type);
  if (e->kind == ExprKind::binary) return least_of_cost(ir::row_of(e->binary).cost) * vector_parts(e->type);
  return 0;
}

class Counter {
 public:
  // `loops` from the outermost; points of `lanes` are lanes.
  Counter(const KernelView& view, std::vector<Loop> loops, const Loop& lanes, bool transposed)
      : view_(view), loops_(std::move(loops)), transposed_(transposed), usual_(view.target.lanes) {
    while (lanes_ < loops_.size() && loops_[lanes_].var.node() != lanes.var.node()) lanes_++;
  }

  Instructions of(const std::vector<ir::Reduction>& reductions) const {
    Instructions n = of_values(values_of(reductions));
    for (const auto& r : reductions)
      if (!is_multiply_add(r)) n.all = n.all + vectors(loops_.size()) * of_step(r.op) * vector_parts(r.type);
    return n;
  }
  Instructions of(const std::vector<ir::Store>& stores) const {
    Instructions n = of_values(values_of(stores));
    for (const auto& s : stores)
      if (!is_in_register(s.buffer))
        n.all = n.all + vectors(loops_.size()) * of_access(view_.offset(s), view_.type_of(s.buffer), false);
    return n;
  }

 private:
  const KernelView& view_;
  const std::vector<Loop> loops_;
  const bool transposed_;
  const schedule::Tuning usual_;  // other values change the plan, not the machine
  size_t lanes_ = 0;

  // One instruction multiplies and adds.
  static bool is_multiply_add(const ir::Reduction& r) { return is_sum_of_products(r) && is_float(r.type); }
  // The sums of a row wait for each other.
  int64_t of_step(ir::ReduceOp op) const {
    if (ir::gives_position(op)) return kOfPosition;
    if (op == ir::ReduceOp::max) return kOfMaximum;
    if (op == ir::ReduceOp::min) return kOfMinimum;
    return lanes_ + 1 == loops_.size() ? kOfRowSum : 1;
  }
  bool is_in_register(BufferId b) const { return schedule::is_value_local(view_.kernel, b); }

  // Executions of what is inside the first `depth` loops.
  IndexExpr vectors(size_t depth) const {
    IndexExpr n = 1;
    for (size_t i = 0; i < depth; i++)
      n = n * (i == lanes_ ? ir::ceildiv(loops_[i].extent, view_.target.lanes) : loops_[i].extent);
    return n;
  }

  // The number of loops around what depends on this index.
  size_t depth_of(IndexExpr index) const {
    for (size_t i = loops_.size(); i > 0; i--)
      if (ir::depends_on(index, loops_[i - 1].var.node())) return i;
    return 0;
  }

  int64_t of_access(IndexExpr offset, DType type, bool load) const {
    const int64_t parts = vector_parts(type);
    if (lanes_ >= loops_.size() || !ir::depends_on(offset, loops_[lanes_].var.node())) return parts;
    const auto stride = ir::stride_of(offset, loops_[lanes_].var.node());
    if (stride && schedule::moves_by_one_or_none(*stride)) return parts;
    if (transposed_) return kTransposedAccess * parts;
    if (stride && stride->is_constant(2) && load) return int64_t(usual_.every_other_time) * parts;
    const auto repeated = schedule::repeated_elements(offset, loops_[lanes_].var.node());
    if (repeated && repeated->step <= repeated->lanes) return int64_t(usual_.repeated_time) * parts;
    return kOfApartLane * view_.target.lanes;
  }

  // `chosen`: lanes read elements at positions that are values.
  int64_t of_expression(Expr e, bool chosen) const {
    const int64_t n = of_value(e) + int64_t(e->guards.size());
    if (e->kind != ExprKind::load || is_in_register(e->buffer)) return n;
    return n +
           (chosen ? kOfApartLane * view_.target.lanes : of_access(view_.offset(e), view_.type_of(e->buffer), true));
  }

  // `values`: operands come before what uses them.
  Instructions of_values(const std::vector<Expr>& values) const {
    Instructions n;
    std::unordered_map<Expr, size_t> depths;
    for (Expr e : values) {
      size_t& inside = depths[e];
      if (e->kind == ExprKind::accumulator) inside = loops_.size();
      for (const IndexExpr& i : e->indices) inside = std::max(inside, depth_of(i));
      for (const auto& g : e->guards) inside = std::max(inside, depth_of(g.index));
      bool chosen = false;
      for (const auto& i : e->indirects) {
        inside = std::max(inside, depths.at(i.value));
        chosen |= depths.at(i.value) > lanes_;
      }
      for (Expr x : e->args) inside = std::max(inside, depths.at(x));
      if (const int64_t each = of_expression(e, chosen)) n.all = n.all + vectors(inside) * each;
      if (const int64_t least = least_of_value(e)) n.functions = n.functions + vectors(inside) * least;
    }
    return n;
  }
};

std::vector<Loop> joined(std::vector<Loop> loops, const std::vector<Loop>& more) {
  loops.insert(loops.end(), more.begin(), more.end());
  return loops;
}

Instructions of_segment(const KernelView& view, const Segment& s, const KernelPlan& plan) {
  const bool transposed = std::holds_alternative<TransposedPlan>(plan.form);
  const std::vector<Loop>& outer = view.kernel.outer;
  const std::vector<Loop> stored = joined(outer, s.loops);
  std::vector<Loop> reduced = joined(stored, s.reduced);
  if (reduced.empty()) return {};
  const Loop lanes = view.kernel.vector_outer && !outer.empty() ? outer.back() : reduced.back();
  // Neighbouring windows share what does not depend on their position.
  if (std::holds_alternative<WindowsPlan>(plan.form) && !s.reduced.empty()) {
    const auto window = reduced.begin() + std::ptrdiff_t(outer.size()) - 2;
    std::rotate(window, window + 1, reduced.end());
  }
  const Counter inside(view, reduced, lanes, transposed);
  return inside.of(s.reductions) + inside.of(s.body) + Counter(view, stored, lanes, transposed).of(s.stores);
}

}  // namespace

bool is_sum_of_products(const ir::Reduction& r) {
  return r.op == ir::ReduceOp::sum && r.value->kind == ExprKind::binary && r.value->binary == ir::BinaryOp::mul;
}

Instructions loop_instructions(const KernelView& view, const KernelPlan& plan) {
  Instructions n;
  for (const Segment& s : view.kernel.segments) n = n + of_segment(view, s, plan);
  return n;
}

Instructions epilogue_instructions(const KernelView& view, const std::vector<Loop>& batch, const Loop& columns) {
  const Segment& s = view.kernel.segments[0];
  std::vector<Loop> loops = batch;
  loops.insert(loops.end(), s.loops.begin(), s.loops.end());
  loops.push_back(columns);
  return Counter(view, loops, columns, false).of(s.stores);
}

Instructions instructions_of_vector(const std::vector<Expr>& roots) {
  int64_t all = 0, functions = 0;
  for (Expr e : ir::postorder(roots)) all += of_value(e) + (e->kind == ExprKind::load), functions += least_of_value(e);
  return {all, functions};
}

}  // namespace cppgen::kernel
