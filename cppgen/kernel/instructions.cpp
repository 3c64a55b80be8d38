// Estimates how many instructions kernels of loops execute: each value is computed once per vector at the innermost
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
using schedule::Costs;
using schedule::Segment;

constexpr int64_t kFloatBytes = 4;

// Instructions, operations of several instructions, and the least that these take of multiply-adds: additions, shifts
// and blends may have ports of their own.
struct Cost {
  int64_t simple = 0, multi_instruction = 0, functions = 0;
};
constexpr Cost operator+(const Cost& a, const Cost& b) {
  return {a.simple + b.simple, a.multi_instruction + b.multi_instruction, a.functions + b.functions};
}
constexpr Cost operator*(int64_t times, const Cost& cost) {
  return {times * cost.simple, times * cost.multi_instruction, times * cost.functions};
}

constexpr Cost kInstruction{1, 0, 0};
constexpr Cost multi_instruction(int64_t n) { return {0, n, 0}; }

// Vectors of wider elements than float32 come in several parts.
int64_t vector_parts(DType type) { return std::max<int64_t>(1, int64_t(size_of(type)) / kFloatBytes); }

// The costs of one vector of values.
class OfVector {
 public:
  explicit OfVector(const schedule::Target& target) : lanes_(target.lanes), costs_(schedule::costs_of(target)) {}

  // The cost of a value itself, without its operands and accesses to memory, for as many elements as float32 has lanes.
  Cost of_value(Expr) const;

 private:
  const int64_t lanes_;
  const Costs& costs_;

  Cost division() const { return {0, costs_.division, costs_.division_least}; }
  Cost root() const { return {0, costs_.root, costs_.division_least}; }
  Cost division_of_scalars() const { return {0, costs_.scalar_division, 1}; }
  Cost of_function(DType type, int64_t of_vector) const {
    if (type != DType::f32) return lanes_ * Cost{0, costs_.lane_function, costs_.function_least};
    return {0, lanes_ == 1 ? costs_.scalar_function : of_vector, costs_.function_least};
  }
  Cost of_unary(ir::UnaryOp op, DType type) const {
    if (ir::row_of(op).cost == ir::OperationCost::function) return of_function(type, costs_.function);
    if (op != ir::UnaryOp::sqrt) return vector_parts(type) * kInstruction;
    return vector_parts(type) * (lanes_ == 1 ? division_of_scalars() : root());
  }
  // Costs some products, and roots of what is not a whole power.
  Cost of_quarters(int quarters) const {
    const int64_t roots = quarters % 4 == 0 ? 0 : quarters % 2 == 0 ? 1 : 2;
    return 2 * kInstruction + roots * root() + (quarters < 0) * division();
  }
  Cost of_binary(Expr) const;
};

Cost OfVector::of_binary(Expr e) const {
  const ir::BinaryOp op = e->binary;
  const DType type = e->args[0]->type;
  switch (ir::row_of(op).cost) {
    case ir::OperationCost::function:
      if (const auto quarters = op == ir::BinaryOp::pow ? exponent_in_quarters(e) : std::nullopt)
        return of_quarters(*quarters);
      return of_function(type, costs_.power);
    case ir::OperationCost::division:
      if (!is_float(type)) return vector_parts(type) * multi_instruction(costs_.integer_division);
      if (op != ir::BinaryOp::div) return vector_parts(type) * Cost{0, costs_.remainder, costs_.division_least};
      return vector_parts(type) * (lanes_ == 1 ? division_of_scalars() : division());
    case ir::OperationCost::instruction:
      break;
  }
  return vector_parts(type) * kInstruction;
}

// One instruction is enough with a constant bound.
bool is_exact_extremum(Expr e) {
  const auto is_constant = [](Expr x) { return x->kind == ExprKind::constant; };
  return (e->binary == ir::BinaryOp::max || e->binary == ir::BinaryOp::min) && is_float(e->type) &&
         !is_constant(e->args[0]) && !is_constant(e->args[1]);
}

Cost OfVector::of_value(Expr e) const {
  switch (e->kind) {
    case ExprKind::unary:
      return of_unary(e->unary, e->type);
    case ExprKind::binary:
      if (is_exact_extremum(e))
        return vector_parts(e->type) *
               multi_instruction(e->binary == ir::BinaryOp::max ? costs_.maximum : costs_.minimum);
      return of_binary(e);
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
      : view_(view),
        loops_(std::move(loops)),
        transposed_(transposed),
        usual_(view.target.lanes),
        costs_(schedule::costs_of(view.target)) {
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
  const Costs& costs_;
  size_t lanes_ = 0;

  // One instruction multiplies and adds.
  static bool is_multiply_add(const ir::Reduction& r) { return is_sum_of_products(r) && is_float(r.type); }
  // The sums of a row wait for each other.
  Cost of_step(ir::ReduceOp op) const {
    if (ir::gives_position(op)) return multi_instruction(costs_.position_step);
    if (op == ir::ReduceOp::max) return multi_instruction(costs_.maximum);
    if (op == ir::ReduceOp::min) return multi_instruction(costs_.minimum);
    return lanes_ + 1 == loops_.size() ? multi_instruction(costs_.row_sum_step) : kInstruction;
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
    if (cost.multi_instruction) n.multi_instruction = n.multi_instruction + vectors(depth) * cost.multi_instruction;
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
    if (transposed_) return parts * multi_instruction(costs_.transposed_access);
    if (stride && stride->is_constant(2) && load) return parts * of_every_other();
    const auto repeated = schedule::repeated_elements(offset, loops_[lanes_].var.node());
    if (repeated && repeated->step <= repeated->lanes) return parts * multi_instruction(int64_t(usual_.repeated_time));
    return of_lanes_apart();
  }
  // Returns whether it goes through memory in runs that are shorter than a page, in different pages: no prefetcher
  // follows it.
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
    return multi_instruction((costs_.far_line * bytes + kLineBytes - 1) / kLineBytes);
  }
  // Without instructions that select lanes of two whole vectors, more of them are needed.
  Cost of_every_other() const {
    constexpr int64_t kLanesOfSuch = 16;
    return multi_instruction(int64_t(usual_.every_other_time) +
                             (view_.target.lanes < kLanesOfSuch ? costs_.every_other_more : 0));
  }
  Cost of_lanes_apart() const { return multi_instruction(costs_.apart_lane * view_.target.lanes); }

  // The cost of an access to memory. `chosen`: lanes read elements at positions that are values.
  Cost of_load(Expr e, bool chosen) const {
    if (e->kind != ExprKind::load || is_in_register(e->buffer)) return {};
    return chosen ? of_lanes_apart() : of_access(view_.offset(e), view_.type_of(e->buffer), true);
  }

  // `values`: operands come before what uses them.
  Instructions of_values(const std::vector<Expr>& values) const {
    const OfVector of_vector(view_.target);
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
      add(n, inside, of_vector.of_value(e));
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

Instructions instructions_of_vector(const std::vector<Expr>& roots, const schedule::Target& target) {
  const OfVector of_vector(target);
  Cost sum;
  for (Expr e : ir::postorder(roots)) {
    const Cost cost = of_vector.of_value(e);
    sum.simple += cost.simple + (e->kind == ExprKind::load);
    sum.multi_instruction += cost.multi_instruction, sum.functions += cost.functions;
  }
  return {sum.simple, sum.multi_instruction, sum.functions};
}

}  // namespace cppgen::kernel
