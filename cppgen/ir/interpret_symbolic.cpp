#include <cstring>

#include "cppgen/ir/interpreter.h"
#include "cppgen/ir/symbolic_ops.h"
#include "runtime/base/checked.h"

namespace cppgen::ir {

namespace {

// Thrown where a value is no index expression; what needs it stays unknown.
struct NotExpressible {};

template <class T>
T need(std::optional<T> v) {
  if (!v) throw NotExpressible();
  return *v;
}

int64_t constant_element(const Buffer& b, int64_t at) {
  const auto* p = static_cast<const std::byte*>(b.data.bytes) + at * static_cast<int64_t>(size_of(b.type));
  const auto read = [&](auto value) {
    std::memcpy(&value, p, sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (b.type) {
    case DType::i8:
      return read(int8_t());
    case DType::i16:
      return read(int16_t());
    case DType::i32:
      return read(int32_t());
    case DType::i64:
      return read(int64_t());
    case DType::u8:
      return read(uint8_t());
    case DType::u16:
      return read(uint16_t());
    case DType::u32:
      return read(uint32_t());
    case DType::u64:
      return read(uint64_t());
    case DType::boolean:
      return read(uint8_t()) != 0;
    default:
      throw NotExpressible();
  }
}

using Elements = std::vector<std::optional<IndexExpr>>;

// Values at one point of a nest.
class PointValues {
 public:
  PointValues(const Program& program, const std::vector<Elements>& tensors, const IndexMap& point,
              const std::vector<IndexExpr>& accumulators)
      : program_(program), tensors_(tensors), point_(point), accumulators_(accumulators) {}

  IndexExpr index(IndexExpr e) const { return substitute(e, point_); }

  IndexExpr value(Expr e) {
    const auto done = done_.find(e);
    if (done != done_.end()) return done->second;
    const IndexExpr result = compute(e);
    done_.emplace(e, result);
    return result;
  }

  int64_t offset(const Buffer& b, const std::vector<IndexExpr>& indices, const std::vector<Indirect>& indirects) {
    const IndexMap map = with_bindings(indirects);
    int64_t at = 0;
    for (size_t d = 0; d < indices.size(); d++) {
      const IndexExpr i = substitute(indices[d], map);
      if (!i.is_constant() || i.constant() < 0 || i.constant() >= b.shape[d].constant()) throw NotExpressible();
      at = at * b.shape[d].constant() + i.constant();
    }
    return at;
  }

 private:
  const Program& program_;
  const std::vector<Elements>& tensors_;
  const IndexMap& point_;
  const std::vector<IndexExpr>& accumulators_;
  std::unordered_map<Expr, IndexExpr> done_;

  IndexExpr compute(Expr e) {
    if (is_float(e->type)) throw NotExpressible();
    switch (e->kind) {
      case ExprKind::constant:
        return e->int_value();
      case ExprKind::load:
        return load(e);
      case ExprKind::index:
        return index(e->indices[0]);
      case ExprKind::unary:
        return need(symbolic_unary(e->unary, e->type, value(e->args[0])));
      case ExprKind::binary:
        return need(symbolic_binary(e->binary, e->args[0]->type, value(e->args[0]), value(e->args[1])));
      case ExprKind::select:
        return select(e);
      case ExprKind::cast:
        return need(symbolic_cast(e->type, e->args[0]->type, value(e->args[0])));
      case ExprKind::accumulator:
        return accumulators_[e->accumulator];
    }
    throw NotExpressible();
  }

  IndexExpr select(Expr e) {
    const IndexExpr condition = value(e->args[0]);
    if (!condition.is_constant()) throw NotExpressible();
    return value(e->args[condition.constant() ? 1 : 2]);
  }

  IndexMap with_bindings(const std::vector<Indirect>& indirects) {
    IndexMap map = point_;
    for (const Indirect& i : indirects) {
      const IndexExpr v = value(i.value), extent = index(i.variable->extent);
      const bool negative = need(decide(BinaryOp::lt, v, 0));
      map.insert_or_assign(i.variable, negative ? v + extent : v);
    }
    return map;
  }

  // Whether the guards hold; those that depend on values need these to be decided.
  bool guarded(Expr e) {
    const IndexMap map = with_bindings(e->indirects);
    for (const Guard& g : e->guards) {
      const IndexExpr i = substitute(g.index, map);
      if (need(decide(BinaryOp::lt, i, substitute(g.lo, map)))) return true;
      if (need(decide(BinaryOp::ge, i, substitute(g.hi, map)))) return true;
    }
    return false;
  }

  IndexExpr load(Expr e) {
    if (!e->guards.empty() && guarded(e)) return value(e->args[0]);
    const Buffer& b = program_.buffer(e->buffer);
    if (b.kind != BufferKind::constant && tensors_[b.id].empty()) throw NotExpressible();
    const int64_t at = offset(b, e->indices, e->indirects);
    return b.kind == BufferKind::constant ? IndexExpr(constant_element(b, at)) : need(tensors_[b.id][at]);
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
      try {
        if (b.kind == BufferKind::constant)
          result.push_back(constant_element(b, i));
        else if (tensors_[b.id].empty() || !tensors_[b.id][i])
          return std::nullopt;
        else
          result.push_back(*tensors_[b.id][i]);
      } catch (const NotExpressible&) {
        return std::nullopt;
      }
    }
    return result;
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
        const int64_t at = values.offset(program_.buffer(s.buffer), s.indices, s.indirects);
        tensors_[s.buffer][at] = values.value(s.value);
      } catch (const NotExpressible&) {
        continue;
      }
    }
  }

  static IndexExpr identity_of(const Reduction& r) {
    if (r.op == ReduceOp::prod || r.op == ReduceOp::all) return 1;
    if (r.op != ReduceOp::min && r.op != ReduceOp::max) return 0;
    const auto bits = static_cast<int64_t>(size_of(r.type)) * 8 - (is_signed_int(r.type) ? 1 : 0);
    if (is_float(r.type) || r.type == DType::boolean || bits > 63) throw NotExpressible();
    const auto greatest = static_cast<int64_t>((uint64_t{1} << bits) - 1);
    if (r.op == ReduceOp::min) return greatest;
    return is_signed_int(r.type) ? -greatest - 1 : 0;
  }

  IndexExpr reduce(const Reduction& r, const LoopNest& nest, IndexMap& point) {
    std::optional<IndexExpr> best, result;
    each_point(nest.reduced, point, [&] {
      const std::vector<IndexExpr> none;
      PointValues values(program_, tensors_, point, none);
      const IndexExpr v = values.value(r.value);
      const bool arg = r.op == ReduceOp::argmin || r.op == ReduceOp::argmax;
      if (!best) {
        best = v;
        result = arg ? values.index(r.position) : v;
      } else if (arg) {
        const BinaryOp better = r.op == ReduceOp::argmin ? (r.select_last ? BinaryOp::le : BinaryOp::lt)
                                                         : (r.select_last ? BinaryOp::ge : BinaryOp::gt);
        if (!need(decide(better, v, *best))) return;
        best = v;
        result = values.index(r.position);
      } else {
        best = result = need(symbolic_binary(combining(r.op), r.value->type, *best, v));
      }
    });
    return result ? *result : identity_of(r);
  }

  static BinaryOp combining(ReduceOp op) {
    switch (op) {
      case ReduceOp::sum:
        return BinaryOp::add;
      case ReduceOp::prod:
        return BinaryOp::mul;
      case ReduceOp::min:
        return BinaryOp::min;
      case ReduceOp::max:
        return BinaryOp::max;
      case ReduceOp::any:
        return BinaryOp::bit_or;
      default:
        return BinaryOp::bit_and;
    }
  }
};

}  // namespace

std::optional<std::vector<SymbolicTensor>> interpret_symbolic(const Program& program,
                                                              const std::vector<SymbolicTensor>& inputs,
                                                              int64_t max_elements) {
  return SymbolicRun(program, max_elements).run(inputs);
}

}  // namespace cppgen::ir
