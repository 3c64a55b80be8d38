#include "cppgen/package/integer_values.h"

#include <algorithm>
#include <unordered_map>

#include "cppgen/ir/index/index_range.h"

namespace cppgen::package {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::IndexRange;

constexpr IndexRange kUnknown{-ir::kUnbounded, ir::kUnbounded}, kTruth{0, 1};
constexpr int kMostSteps = 50;  // of a chain of buffers; the values after a longer one count as unknown

bool is_countable(DType type) { return is_int(type) || type == DType::boolean; }

IndexRange hull(IndexRange a, IndexRange b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

IndexRange negated(IndexRange a) { return {-a.hi, -a.lo}; }

IndexRange comparison(bool always, bool never) { return always ? IndexRange{1, 1} : never ? IndexRange{0, 0} : kTruth; }

IndexRange of_binary(BinaryOp op, IndexRange a, IndexRange b) {
  switch (op) {
    case BinaryOp::add:
      return ir::add_ranges(a, b);
    case BinaryOp::sub:
      return ir::add_ranges(a, negated(b));
    case BinaryOp::mul:
      return ir::multiply_ranges(a, b);
    case BinaryOp::div:  // toward zero, by zero gives 0
      return a.lo >= 0 && b.lo > 0 ? ir::floordiv_range(a, b) : kUnknown;
    case BinaryOp::mod_trunc:
    case BinaryOp::mod_floor:
      return a.lo >= 0 && b.lo > 0 ? ir::mod_range(a, b) : kUnknown;
    case BinaryOp::min:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case BinaryOp::max:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case BinaryOp::lt:
      return comparison(a.hi < b.lo, a.lo >= b.hi);
    case BinaryOp::le:
      return comparison(a.hi <= b.lo, a.lo > b.hi);
    case BinaryOp::gt:
      return comparison(a.lo > b.hi, a.hi <= b.lo);
    case BinaryOp::ge:
      return comparison(a.lo >= b.hi, a.hi < b.lo);
    case BinaryOp::eq:
    case BinaryOp::ne:
      return kTruth;
    default:
      return kUnknown;
  }
}

}  // namespace

class IntegerValues::Evaluation {
 public:
  Evaluation(const IntegerValues& values, int64_t extent) : values_(values), extent_(extent) {}

  IndexRange of(Expr root, int step = 0) {
    for (Expr e : ir::postorder({&root, 1}))
      if (!ranges_.contains(e)) ranges_.emplace(e, from_operands(*e, step));
    return ranges_.at(root);
  }

 private:
  IndexRange operand(const ir::ExprNode& e, size_t i) const { return ranges_.at(e.args[i]); }

  IndexRange from_operands(const ir::ExprNode& e, int step) {
    if (e.kind == ir::ExprKind::load) return of_load(e, step);
    if (!is_countable(e.type)) return kUnknown;
    switch (e.kind) {
      case ir::ExprKind::constant:
        return {e.int_value(), e.int_value()};
      case ir::ExprKind::index:
        return e.indices[0].range();
      case ir::ExprKind::unary:
        if (e.unary == ir::UnaryOp::neg) return negated(operand(e, 0));
        return e.type == DType::boolean ? kTruth : kUnknown;
      case ir::ExprKind::binary:
        if (e.type == DType::boolean && !(ir::is_comparison(e.binary) && is_int(e.args[0]->type))) return kTruth;
        return of_binary(e.binary, operand(e, 0), operand(e, 1));
      case ir::ExprKind::select:
        return of_select(operand(e, 0), operand(e, 1), operand(e, 2));
      case ir::ExprKind::cast:
        return of_cast(e);
      default:
        return kUnknown;
    }
  }

  static IndexRange of_select(IndexRange condition, IndexRange then, IndexRange otherwise) {
    if (condition.lo == 1) return then;
    return condition.hi == 0 ? otherwise : hull(then, otherwise);
  }

  IndexRange of_cast(const ir::ExprNode& e) const {
    if (e.type == DType::boolean) return kTruth;
    if (!is_countable(e.args[0]->type)) return kUnknown;
    const IndexRange range = operand(e, 0);
    if (size_of(e.type) == 8) return is_signed_int(e.type) || range.lo >= 0 ? range : kUnknown;
    const IntegerRange type = range_of(e.type);
    return range.lo >= type.least && range.hi <= type.greatest ? range : kUnknown;
  }

  IndexRange of_load(const ir::ExprNode& e, int step) {
    const ir::Buffer& buffer = values_.program_.buffer(e.buffer);
    if (!is_countable(buffer.type)) return kUnknown;
    const IndexRange loaded = of_buffer(buffer, step);
    return e.guards.empty() ? loaded : hull(loaded, operand(e, 0));
  }

  IndexRange of_buffer(const ir::Buffer& buffer, int step) {
    if (buffer.type == DType::boolean) return kTruth;
    if (buffer.kind == ir::BufferKind::input) return {0, extent_ - 1};
    if (buffer.kind == ir::BufferKind::constant) return of_constant(buffer);
    const auto stored = values_.stored_.find(buffer.id);
    if (stored == values_.stored_.end() || step == kMostSteps) return kUnknown;
    IndexRange range = kUnknown;
    for (size_t i = 0; i < stored->second.size(); i++) {
      const Expr value = stored->second[i];
      const IndexRange next = value ? of(value, step + 1) : kUnknown;
      range = i == 0 ? next : hull(range, next);
    }
    return range;
  }

  static IndexRange of_constant(const ir::Buffer& buffer) {
    const auto range_as = [&]<class T>(const T* elements) {
      const size_t count = buffer.data.size / sizeof(T);
      if (count == 0) return kUnknown;
      const auto [least, greatest] = std::minmax_element(elements, elements + count);
      return IndexRange{int64_t(*least), int64_t(*greatest)};
    };
    if (buffer.type == DType::i64) return range_as(static_cast<const int64_t*>(buffer.data.bytes));
    if (buffer.type == DType::i32) return range_as(static_cast<const int32_t*>(buffer.data.bytes));
    return kUnknown;
  }

  const IntegerValues& values_;
  const int64_t extent_;
  std::unordered_map<Expr, IndexRange> ranges_;
};

void IntegerValues::add(const ir::LoopNest& nest) {
  for (const ir::Store& store : nest.stores)
    if (is_countable(program_.buffer(store.buffer).type))
      stored_[store.buffer].push_back(nest.reductions.empty() ? store.value : nullptr);
}

IndexRange IntegerValues::range(Expr value, int64_t extent) const { return Evaluation(*this, extent).of(value); }

}  // namespace cppgen::package
