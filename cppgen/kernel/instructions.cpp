// How many instructions kernels of loops execute, estimated: each value is computed once per vector at the innermost
// loop that it depends on.
#include "cppgen/kernel/instructions.h"

#include <algorithm>
#include <unordered_map>

#include "cppgen/ir/values/op_table.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/kernels/vector_loop.h"

namespace cppgen::kernel {
namespace {

using ir::ExprKind;
using ir::Loop;
using schedule::kCosts;
using schedule::Segment;

constexpr int64_t kFloatBytes = 4;

// Instructions and compounds, and the least that these take of multiply-adds: additions, shifts and blends may have
// ports of their own.
struct Cost {
  int64_t simple = 0, compounds = 0, functions = 0;
};
constexpr Cost operator+(const Cost& a, const Cost& b) {
  return {a.simple + b.simple, a.compounds + b.compounds, a.functions + b.functions};
}
constexpr Cost operator*(int64_t times, const Cost& cost) {
  return {times * cost.simple, times * cost.compounds, times * cost.functions};
}

constexpr Cost kInstruction{1, 0, 0};
constexpr Cost kDivision{0, kCosts.division, kCosts.division_least}, kRoot{0, kCosts.root, kCosts.division_least},
    kRemainder{0, kCosts.remainder, kCosts.division_least}, kFunction{0, kCosts.function, kCosts.function_least},
    kPower{0, kCosts.power, kCosts.function_least}, kDivisionOfScalars{0, kCosts.scalar_division, 1},
    kFunctionOfScalar{0, kCosts.scalar_function, kCosts.function_least},
    kFunctionOfLane{0, kCosts.lane_function, kCosts.function_least}, kDivisionOfIntegers{0, kCosts.integer_division, 0};
constexpr Cost compounds(int64_t n) { return {0, n, 0}; }

// Vectors of wider elements than float32 come in several parts.
int64_t vector_parts(DType type) { return std::max<int64_t>(1, int64_t(size_of(type)) / kFloatBytes); }

Cost of_function(DType type, const Cost& of_vector, int64_t lanes) {
  if (type != DType::f32) return lanes * kFunctionOfLane;
  return lanes == 1 ? kFunctionOfScalar : of_vector;
}

Cost of_unary(ir::UnaryOp op, DType type, int64_t lanes) {
  if (ir::row_of(op).cost == ir::OperationCost::function) return of_function(type, kFunction, lanes);
  if (op != ir::UnaryOp::sqrt) return vector_parts(type) * kInstruction;
  return vector_parts(type) * (lanes == 1 ? kDivisionOfScalars : kRoot);
}

// By some products, and roots of what is not a whole power.
Cost of_quarters(int quarters) {
  const int64_t roots = quarters % 4 == 0 ? 0 : quarters % 2 == 0 ? 1 : 2;
  return 2 * kInstruction + roots * kRoot + (quarters < 0) * kDivision;
}

Cost of_binary(Expr e, int64_t lanes) {
  const ir::BinaryOp op = e->binary;
  const DType type = e->args[0]->type;
  switch (ir::row_of(op).cost) {
    case ir::OperationCost::function:
      if (const auto quarters = op == ir::BinaryOp::pow ? exponent_in_quarters(e) : std::nullopt)
        return of_quarters(*quarters);
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

// The cost of a value itself, without its operands and accesses to memory, for as many elements as float32 has lanes.
Cost of_value(Expr e, int64_t lanes) {
  switch (e->kind) {
    case ExprKind::unary:
      return of_unary(e->unary, e->type, lanes);
    case ExprKind::binary:
      if (is_exact_extremum(e))
        return vector_parts(e->type) * compounds(e->binary == ir::BinaryOp::max ? kCosts.maximum : kCosts.minimum);
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
      if (!is_multiply_add(r)) add(n, loops_.size(), vector_parts(r.type) * of_step(r.op));
    return n;
  }
  Instructions of(const std::vector<ir::Store>& stores) const {
    Instructions n = of_values(values_of(stores));
    for (const auto& s : stores)
      if (!is_in_register(s.buffer)) add(n, loops_.size(), of_access(view_.offset(s), view_.type_of(s.buffer), false));
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
  Cost of_step(ir::ReduceOp op) const {
    if (ir::gives_position(op)) return compounds(kCosts.position_step);
    if (op == ir::ReduceOp::max) return compounds(kCosts.maximum);
    if (op == ir::ReduceOp::min) return compounds(kCosts.minimum);
    return lanes_ + 1 == loops_.size() ? compounds(kCosts.row_sum_step) : kInstruction;
  }
  bool is_in_register(BufferId b) const { return schedule::is_value_local(view_.kernel, b); }

  // Executions of what is inside the first `depth` loops.
  IndexExpr vectors(size_t depth) const {
    IndexExpr n = 1;
    for (size_t i = 0; i < depth; i++)
      n = n * (i == lanes_ ? ir::ceildiv(loops_[i].extent, view_.target.lanes) : loops_[i].extent);
    return n;
  }

  // Executed inside the first `depth` loops.
  void add(Instructions& n, size_t depth, const Cost& cost) const {
    if (cost.simple) n.simple = n.simple + vectors(depth) * cost.simple;
    if (cost.compounds) n.compounds = n.compounds + vectors(depth) * cost.compounds;
    if (cost.functions) n.functions = n.functions + vectors(depth) * cost.functions;
  }

  // The number of loops around what depends on this index.
  size_t depth_of(IndexExpr index) const {
    for (size_t i = loops_.size(); i > 0; i--)
      if (ir::depends_on(index, loops_[i - 1].var.node())) return i;
    return 0;
  }

  Cost of_access(IndexExpr offset, DType type, bool load) const {
    const int64_t parts = vector_parts(type);
    if (lanes_ >= loops_.size() || !ir::depends_on(offset, loops_[lanes_].var.node())) return parts * kInstruction;
    const auto stride = ir::stride_of(offset, loops_[lanes_].var.node());
    if (stride && schedule::moves_by_one_or_none(*stride))
      return parts * (kInstruction + (runs_are_far_apart(offset, type) ? of_far_vector(type) : Cost{}));
    if (transposed_) return parts * compounds(kCosts.transposed_access);
    if (stride && stride->is_constant(2) && load) return parts * of_every_other();
    const auto repeated = schedule::repeated_elements(offset, loops_[lanes_].var.node());
    if (repeated && repeated->step <= repeated->lanes) return parts * compounds(int64_t(usual_.repeated_time));
    return of_lanes_apart();
  }
  // Whether it goes through memory in runs that are shorter than a page, in different pages: no prefetcher follows it.
  bool runs_are_far_apart(IndexExpr offset, DType type) const {
    constexpr int64_t kPageBytes = 4096;
    std::vector<std::pair<int64_t, int64_t>> strides;  // in bytes, and how often
    for (const Loop& l : loops_) {
      const auto stride = ir::stride_of(offset, l.var.node());
      if (!stride || !stride->is_constant() || !l.extent.is_constant()) return false;
      if (stride->constant() && l.extent.constant() > 1)
        strides.emplace_back(std::abs(stride->constant()) * int64_t(size_of(type)), l.extent.constant());
    }
    std::sort(strides.begin(), strides.end());
    int64_t run = int64_t(size_of(type));
    for (const auto& [bytes, times] : strides) {
      if (bytes > run) return run < kPageBytes && bytes >= kPageBytes;
      run = std::max(run, bytes * times);
    }
    return false;
  }
  Cost of_far_vector(DType type) const {
    constexpr int64_t kLineBytes = 64;
    const int64_t bytes = view_.target.lanes * std::min(int64_t(size_of(type)), kFloatBytes);
    return compounds((kCosts.far_line * bytes + kLineBytes - 1) / kLineBytes);
  }
  // Without instructions that select lanes of two whole vectors, more of them are needed.
  Cost of_every_other() const {
    constexpr int64_t kLanesOfSuch = 16;
    return compounds(int64_t(usual_.every_other_time) +
                     (view_.target.lanes < kLanesOfSuch ? kCosts.every_other_more : 0));
  }
  Cost of_lanes_apart() const { return compounds(kCosts.apart_lane * view_.target.lanes); }

  // The cost of an access to memory. `chosen`: lanes read elements at positions that are values.
  Cost of_load(Expr e, bool chosen) const {
    if (e->kind != ExprKind::load || is_in_register(e->buffer)) return {};
    return chosen ? of_lanes_apart() : of_access(view_.offset(e), view_.type_of(e->buffer), true);
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
      add(n, inside, of_value(e, view_.target.lanes));
      add(n, inside, of_load(e, chosen));
      add(n, inside, int64_t(e->guards.size()) * kInstruction);
    }
    return n;
  }
};

std::vector<Loop> joined(std::vector<Loop> loops, const std::vector<Loop>& more) {
  loops.insert(loops.end(), more.begin(), more.end());
  return loops;
}

Instructions of_segment(const KernelView& view, const Segment& s, const LoopCosts& costs) {
  const std::vector<Loop>& outer = view.kernel.outer;
  const std::vector<Loop> stored = joined(outer, s.loops);
  std::vector<Loop> reduced = joined(stored, s.reduced);
  if (reduced.empty()) return {};
  const Loop lanes = view.kernel.vector_outer && !outer.empty() ? outer.back() : reduced.back();
  if (costs.neighbours_share && !s.reduced.empty()) {
    const auto window = reduced.begin() + std::ptrdiff_t(outer.size()) - 2;
    std::rotate(window, window + 1, reduced.end());
  }
  const Counter inside(view, reduced, lanes, costs.transposed);
  return inside.of(s.reductions) + inside.of(s.body) + Counter(view, stored, lanes, costs.transposed).of(s.stores);
}

}  // namespace

bool is_sum_of_products(const ir::Reduction& r) {
  return r.op == ir::ReduceOp::sum && r.value->kind == ExprKind::binary && r.value->binary == ir::BinaryOp::mul;
}

std::optional<int> exponent_in_quarters(Expr power) {
  const Expr exponent = power->args[1];
  if (power->type != DType::f32 || exponent->kind != ExprKind::constant) return std::nullopt;
  for (const int quarters : {-4, -2, 1, 2, 3, 6, 8, 12})
    if (exponent->float_value() == quarters / 4.0) return quarters;
  return std::nullopt;
}

Instructions loop_instructions(const KernelView& view, const LoopCosts& costs) {
  Instructions n;
  for (const Segment& s : view.kernel.segments) n = n + of_segment(view, s, costs);
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
    sum.simple += cost.simple + (e->kind == ExprKind::load);
    sum.compounds += cost.compounds, sum.functions += cost.functions;
  }
  return {sum.simple, sum.compounds, sum.functions};
}

}  // namespace cppgen::kernel
