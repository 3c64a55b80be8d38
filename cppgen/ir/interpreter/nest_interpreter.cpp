#include "cppgen/ir/interpreter/nest_interpreter.h"

#include <algorithm>

#include "cppgen/ir/interpreter/compile_strip.h"
#include "cppgen/ir/interpreter/strip_lane.h"

namespace cppgen::ir {

namespace {

// Counts through the points of some loops, the last innermost.
class Odometer {
 public:
  Odometer(std::vector<int> slots, const NestSpace& space) : slots_(std::move(slots)), space_(space) {}

  // Sets the slots to the first point; false if there is none.
  bool start(int64_t* values) const {
    for (int s : slots_) {
      if (space_.extent(s) == 0) return false;
      values[s] = 0;
    }
    return true;
  }

  bool next(int64_t* values) const {
    for (size_t i = slots_.size(); i-- > 0;) {
      if (++values[slots_[i]] < space_.extent(slots_[i])) return true;
      values[slots_[i]] = 0;
    }
    return false;
  }

 private:
  std::vector<int> slots_;
  const NestSpace& space_;
};

std::string origins_of(const LoopNest& nest) {
  std::string text;
  for (const std::string& o : nest.origins) text += (text.empty() ? "node " : ", ") + o;
  return text.empty() ? "nest " + nest.name : text;
}

struct ReductionState {
  ReduceKernels kernels;
  std::vector<int> args;  // registers of the reducing steps
  int result;             // register of the storing steps
  std::vector<std::byte> state;
};

bool is_sum_of_products(const Reduction& r) {
  return r.op == ReduceOp::sum && r.type == DType::f32 && r.value->kind == ExprKind::binary &&
         r.value->binary == BinaryOp::mul;
}

class NestRunner {
 public:
  NestRunner(const LoopNest& nest, const std::vector<TensorView>& tensors, const IndexEnv& symbols)
      : nest_(nest),
        space_(nest, tensors, symbols),
        prefix_(prefix_reduction(nest)),
        lane_(empty() ? -1 : choose_lane(nest, space_, prefix_)),
        along_(lane_ >= space_.first_reduced()),
        origins_(origins_of(nest)),
        slots_(space_.slots() + 1),
        reducing_(space_, lane_, true),
        storing_(space_, along_ ? -1 : lane_, false) {}

  void run() {
    if (empty()) return;
    for (const Reduction& r : nest_.reductions) add_reduction(r);
    for (const Store& s : nest_.stores) storing_.store(s);
    slots_.resize(static_cast<size_t>(space_.all_slots()) + 1);
    StripRegisters reducing_registers(reducing_.registers()), storing_registers(storing_.registers());
    reducing_context_.emplace(StripContext{reducing_registers, slots_.data(), origins_});
    storing_context_.emplace(StripContext{storing_registers, slots_.data(), origins_});
    std::vector<int> loops = slots_between(0, space_.first_reduced());
    if (prefix_) std::erase(loops, prefix_->outer);
    const Odometer outer(loops, space_);
    outer.start(slots_.data());
    do {
      if (along_ || lane_ < 0)
        run_point(1);
      else
        run_lanes();
    } while (outer.next(slots_.data()));
  }

 private:
  const LoopNest& nest_;
  NestSpace space_;
  const std::optional<PrefixReduction> prefix_;
  int lane_;
  bool along_;  // strips run along the innermost reduced loop
  std::string origins_;
  std::vector<int64_t> slots_;
  StripCompiler reducing_, storing_;
  std::vector<ReductionState> reductions_;
  std::optional<StripContext> reducing_context_, storing_context_;

  bool empty() const {
    for (int s = 0; s < space_.first_reduced(); s++)
      if (space_.extent(s) == 0) return true;
    return false;
  }

  // All slots in [begin, end) but the lane's.
  std::vector<int> slots_between(int begin, int end) const {
    std::vector<int> slots;
    for (int s = begin; s < end; s++)
      if (s != lane_) slots.push_back(s);
    return slots;
  }

  void add_reduction(const Reduction& r) {
    ReductionState running;
    if (is_sum_of_products(r)) {
      running.kernels = sum_of_products_kernels();
      running.args = {reducing_.value(r.value->args[0]), reducing_.value(r.value->args[1])};
    } else {
      running.kernels = reduce_kernels(r.op, r.value->type, r.select_last);
      running.args = {reducing_.value(r.value)};
      if (gives_position(r.op)) running.args.push_back(reducing_.index_value(r.position));
    }
    running.result = storing_.add_input(static_cast<int>(reductions_.size()), r.type);
    running.state.resize(running.kernels.state_size * kStripLength);
    reductions_.push_back(std::move(running));
  }

  void run_lanes() {
    const int64_t extent = space_.extent(lane_);
    for (int64_t begin = 0; begin < extent; begin += kStripLength) {
      slots_[lane_] = begin;
      run_point(static_cast<int>(std::min<int64_t>(extent - begin, kStripLength)));
    }
    slots_[lane_] = 0;
  }

  // n points of the outer loops, one per lane.
  void run_point(int n) {
    if (prefix_) return run_prefixes(n);
    if (!reductions_.empty()) {
      for (ReductionState& r : reductions_) r.kernels.init(r.state.data(), n);
      reduce(n);
    }
    store(n);
  }

  void store(int n) {
    for (ReductionState& r : reductions_)
      r.kernels.finish(storing_context_->registers.write(r.result), r.state.data(), n);
    run_steps(storing_.body, *storing_context_, n);
  }

  // All points of the prefixes' loop in their order, each with one value more.
  void run_prefixes(int n) {
    for (ReductionState& r : reductions_) r.kernels.init(r.state.data(), n);
    const int64_t extent = space_.extent(prefix_->outer);
    for (int64_t k = 0; k < extent; k++) {
      const int64_t point = prefix_->reverse ? extent - 1 - k : k;
      slots_[prefix_->outer] = point;
      slots_[space_.first_reduced()] = prefix_->reverse ? point + prefix_->shift : point - prefix_->shift;
      if (k >= prefix_->shift) {
        run_steps(reducing_.hoisted, *reducing_context_, n);
        combine(n, &ReduceKernels::across);
      }
      store(n);
    }
  }

  void reduce(int n) {
    const Odometer reduced(slots_between(space_.first_reduced(), space_.slots()), space_);
    if (!reduced.start(slots_.data()) || (along_ && space_.extent(lane_) == 0)) return;
    if (along_) slots_[lane_] = 0;
    const int64_t length = along_ ? space_.extent(lane_) : n;
    run_steps(reducing_.hoisted, *reducing_context_, static_cast<int>(std::min<int64_t>(length, kStripLength)));
    do {
      if (along_)
        reduce_along(length);
      else
        combine(n, &ReduceKernels::across);
    } while (reduced.next(slots_.data()));
  }

  void reduce_along(int64_t extent) {
    for (int64_t begin = 0; begin < extent; begin += kStripLength) {
      slots_[lane_] = begin;
      combine(static_cast<int>(std::min<int64_t>(extent - begin, kStripLength)), &ReduceKernels::along);
    }
  }

  void combine(int n, void (*ReduceKernels::*how)(void*, const void* const*, int)) {
    run_steps(reducing_.body, *reducing_context_, n);
    for (ReductionState& r : reductions_) {
      const void* args[2];
      for (size_t i = 0; i < r.args.size(); i++) args[i] = reducing_context_->registers[r.args[i]];
      (r.kernels.*how)(r.state.data(), args, n);
    }
  }
};

}  // namespace

void interpret_nest(const LoopNest& nest, const std::vector<TensorView>& tensors, const IndexEnv& symbols) {
  NestRunner(nest, tensors, symbols).run();
}

}  // namespace cppgen::ir
