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
constexpr int64_t kOfPosition = 3;
constexpr int64_t kOfMaximum = 3, kOfMinimum = 2;  // they propagate NaNs and order zeros
constexpr int64_t kOfRowSum = 2;
constexpr int64_t kTransposedAccess = 6;
constexpr int64_t kOfApartLane = 4;  // of each lane of an access whose lanes are far apart
constexpr int64_t kFloatBytes = 4;

// What an operation takes, and the least that it takes of multiply-adds: additions, shifts and blends may have ports of
// their own.
struct Cost {
  int64_t all = 0, functions = 0;
};
constexpr Cost operator*(int64_t times, const Cost& cost) { return {times * cost.all, times * cost.functions}; }

constexpr Cost kInstruction{1, 0}, kDivision{12, 5}, kRemainder{48, 5}, kFunction{24, 8}, kPower{200, 8};
constexpr Cost kFixedPower{24, 0};          // of a constant exponent, perhaps by a few products
constexpr Cost kDivisionOfScalars{4, 1};    // of which the compiler makes vectors
constexpr Cost kFunctionOfScalar{200, 8};   // without vectors, multiply-adds of float32 are emulated
constexpr Cost kFunctionOfLane{64, 8};      // one of the runtime, which computes lane by lane
constexpr Cost kDivisionOfIntegers{12, 0};  // which have no instruction for it

// Vectors of wider elements than float32 come in several parts.
int64_t vector_parts(DType type) { return std::max<int64_t>(1, int64_t(size_of(type)) / kFloatBytes); }

Cost of_function(DType type, const Cost& of_vector, int64_t lanes) {
  if (type != DType::f32) return lanes * kFunctionOfLane;
  return lanes == 1 ? kFunctionOfScalar : of_vector;
}

Cost of_unary(ir::UnaryOp op, DType type, int64_t lanes) {
  if (ir::row_of(op).cost == ir::OperationCost::function) return of_function(type, kFunction, lanes);
  if (op != ir::UnaryOp::sqrt) return vector_parts(type) * kInstruction;
  return vector_parts(type) * (lanes == 1 ? kDivisionOfScalars : kDivision);
}

Cost of_binary(Expr e, int64_t lanes) {
  const ir::BinaryOp op = e->binary;
  const DType type = e->args[0]->type;
  switch (ir::row_of(op).cost) {
    case ir::OperationCost::function:
      if (e->args[1]->kind == ExprKind::constant) return vector_parts(type) * kFixedPower;
      return of_function(type, kPower, lanes);
    case ir::OperationCost::division:
      if (!is_float(type)) return vector_parts(type) * kDivisionOfIntegers;
      if (op != ir::BinaryOp::div) return vector_parts(type) * kRemainder;
      return vector_parts(type) * (lanes == 1 ? kDivisionOfScalars : kDivision);
    case ir::OperationCost::instruction:
      break;
  }
  return vector_parts(type) * kInstruction;
}

// With a constant bound, one instruction is enough.
bool is_exact_extremum(Expr e) {
  const auto is_constant = [](Expr x) { return x->kind == ExprKind::constant; };
  return (e->binary == ir::BinaryOp::max || e->binary == ir::BinaryOp::min) && is_float(e->type) &&
         !is_constant(e->args[0]) && !is_constant(e->args[1]);
}

// Of a value itself, without its operands and accesses to memory, for as many elements as float32 has lanes.
Cost of_value(Expr e, int64_t lanes) {
  switch (e->kind) {
    case ExprKind::unary:
      return of_unary(e->unary, e->type, lanes);
    case ExprKind::binary:
      if (is_exact_extremum(e))
        return {(e->binary == ir::BinaryOp::max ? kOfMaximum : kOfMinimum) * vector_parts(e->type), 0};
      return of_binary(e, lanes);
    case ExprKind::select:
    case ExprKind::cast:
      return vector_parts(e->type) * kInstruction;
    default:
      return {};
  }
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

  // Of an access to memory. `chosen`: lanes read elements at positions that are values.
  int64_t of_load(Expr e, bool chosen) const {
    if (e->kind != ExprKind::load || is_in_register(e->buffer)) return 0;
    return chosen ? kOfApartLane * view_.target.lanes : of_access(view_.offset(e), view_.type_of(e->buffer), true);
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
      const Cost cost = of_value(e, view_.target.lanes);
      const int64_t each = cost.all + int64_t(e->guards.size()) + of_load(e, chosen);
      if (each) n.all = n.all + vectors(inside) * each;
      if (cost.functions) n.functions = n.functions + vectors(inside) * cost.functions;
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

Instructions instructions_of_vector(const std::vector<Expr>& roots, int64_t lanes) {
  Cost sum;
  for (Expr e : ir::postorder(roots)) {
    const Cost cost = of_value(e, lanes);
    sum.all += cost.all + (e->kind == ExprKind::load), sum.functions += cost.functions;
  }
  return {sum.all, sum.functions};
}

}  // namespace cppgen::kernel
