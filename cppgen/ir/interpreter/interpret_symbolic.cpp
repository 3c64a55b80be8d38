#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/ir/interpreter/symbolic_values.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/ir/values/symbolic_ops.h"
#include "runtime/base/checked.h"

namespace cppgen::ir {

namespace {

IndexExpr identity_of(const Reduction& r) {
  const ReductionStart start = row_of(r.op).start;
  if (start == ReductionStart::zero || start == ReductionStart::one) return start == ReductionStart::one;
  const auto bits = static_cast<int64_t>(size_of(r.type)) * 8 - (is_signed_int(r.type) ? 1 : 0);
  if (is_float(r.type) || r.type == DType::boolean || bits > 63) throw NotExpressible();
  const auto greatest = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  if (start == ReductionStart::greatest) return greatest;
  return is_signed_int(r.type) ? -greatest - 1 : 0;
}

class RunningReduction {
 public:
  explicit RunningReduction(const Reduction& r) : reduction_(r) {}

  void add(PointValues& values) {
    const IndexExpr v = values.value(reduction_.value);
    if (const auto combine = combining(reduction_.op))
      best_ = result_ = best_ ? need(symbolic_binary(*combine, reduction_.value->type, *best_, v)) : v;
    else if (!best_ || need(decide(better(), v, *best_)))
      best_ = v, result_ = values.index(reduction_.position);
  }

  IndexExpr result() const { return result_ ? *result_ : identity_of(reduction_); }

 private:
  const Reduction& reduction_;
  std::optional<IndexExpr> best_, result_;

  // The comparison by which another value of an argmin or argmax replaces the best.
  BinaryOp better() const {
    if (row_of(reduction_.op).greatest) return reduction_.select_last ? BinaryOp::ge : BinaryOp::gt;
    return reduction_.select_last ? BinaryOp::le : BinaryOp::lt;
  }
};

class SymbolicRun {
 public:
  SymbolicRun(const Program& program, int64_t max_elements)
      : program_(program), max_elements_(max_elements), tensors_(program.buffers.size()) {}

  std::optional<std::vector<SymbolicTensor>> run(const std::vector<SymbolicTensor>& inputs) {
    check(inputs.size() == program_.inputs.size(), "interpret_symbolic: wrong number of inputs");
    for (size_t i = 0; i < inputs.size(); i++) take_input(program_.inputs[i], inputs[i]);
    for (const Statement& s : program_.statements)
      if (const auto* nest = std::get_if<LoopNest>(&s)) run_nest(*nest);
    std::vector<SymbolicTensor> outputs;
    for (BufferId id : program_.outputs) {
      auto output = take_output(program_.buffer(id));
      if (!output) return std::nullopt;
      outputs.push_back(std::move(*output));
    }
    return outputs;
  }

 private:
  const Program& program_;
  int64_t max_elements_;
  std::vector<Elements> tensors_;  // by buffer; empty: nothing known

  // Nullopt for a symbolic shape or too many elements.
  std::optional<int64_t> elements_of(const Buffer& b) const {
    int64_t n = 1;
    for (IndexExpr e : b.shape) {
      if (!e.is_constant() || e.constant() < 0) return std::nullopt;
      n = checked_mul(n, e.constant(), "elements of a tensor");
    }
    return n <= max_elements_ ? std::optional(n) : std::nullopt;
  }

  void take_input(BufferId id, const SymbolicTensor& values) {
    const auto n = elements_of(program_.buffer(id));
    if (!n || values.size() != static_cast<size_t>(*n)) return;
    tensors_[id].assign(values.begin(), values.end());
  }

  std::optional<SymbolicTensor> take_output(const Buffer& b) const {
    const auto n = elements_of(b);
    if (!n) return std::nullopt;
    SymbolicTensor result;
    for (int64_t i = 0; i < *n; i++) {
      const auto element = output_element(b, i);
      if (!element) return std::nullopt;
      result.push_back(*element);
    }
    return result;
  }

  std::optional<IndexExpr> output_element(const Buffer& b, int64_t i) const {
    if (b.kind == BufferKind::constant)
      return is_float(b.type) ? std::nullopt : std::optional<IndexExpr>(constant_element(b, i));
    return tensors_[b.id].empty() ? std::nullopt : tensors_[b.id][i];
  }

  // Calls f for every point of the loops, in order, with `point` holding the variables' values. Refuses symbolic
  // extents, and far more points than elements are allowed.
  template <class F>
  void each_point(const std::vector<Loop>& loops, IndexMap& point, F f, size_t depth = 0) {
    if (depth == loops.size()) return f();
    const IndexExpr extent = loops[depth].extent;
    if (!extent.is_constant() || extent.constant() > max_elements_) throw NotExpressible();
    for (int64_t i = 0; i < extent.constant(); i++) {
      point.insert_or_assign(loops[depth].var.node(), i);
      each_point(loops, point, f, depth + 1);
    }
  }

  void run_nest(const LoopNest& nest) {
    for (const Store& s : nest.stores) {
      const auto n = elements_of(program_.buffer(s.buffer));
      if (!n) return;
      tensors_[s.buffer].resize(static_cast<size_t>(*n));
    }
    IndexMap point;
    try {
      each_point(nest.loops, point, [&] { run_point(nest, point); });
    } catch (const NotExpressible&) {
      // The loops themselves are symbolic: nothing more can be stored.
    }
  }

  void run_point(const LoopNest& nest, IndexMap& point) {
    std::vector<IndexExpr> accumulators;
    try {
      for (const Reduction& r : nest.reductions) accumulators.push_back(reduce(r, nest, point));
    } catch (const NotExpressible&) {
      return;
    }
    PointValues values(program_, tensors_, point, accumulators);
    for (const Store& s : nest.stores) {
      try {
        const int64_t at = values.offset(program_.buffer(s.buffer), s.indices, {});
        tensors_[s.buffer][at] = values.value(s.value);
      } catch (const NotExpressible&) {
        continue;
      }
    }
  }

  IndexExpr reduce(const Reduction& r, const LoopNest& nest, IndexMap& point) {
    RunningReduction running(r);
    each_point(nest.reduced, point, [&] {
      const std::vector<IndexExpr> none;
      PointValues values(program_, tensors_, point, none);
      running.add(values);
    });
    return running.result();
  }
};

}  // namespace

std::optional<std::vector<SymbolicTensor>> interpret_symbolic(const Program& program,
                                                              const std::vector<SymbolicTensor>& inputs,
                                                              int64_t max_elements) {
  return SymbolicRun(program, max_elements).run(inputs);
}

}  // namespace cppgen::ir
