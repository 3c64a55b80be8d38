#include "cppgen/forms/attention/mask.h"

#include <algorithm>
#include <limits>

namespace cppgen::forms {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::IndexExpr;
using ir::Loop;

constexpr double kLeastPower = 110;  // exp(-110) is less than half the least float

// A score that a condition replaces by a constant.
struct Choice {
  Expr condition;
  bool hides_where_true;
  double fill;
  Expr rest;
};

// The value of a number or of a constant with one element.
std::optional<double> constant_value(const ir::Program& program, Expr e) {
  if (e->kind == ExprKind::constant) return e->float_value();
  if (e->kind != ExprKind::load || !e->guards.empty() || !e->indirects.empty()) return std::nullopt;
  const auto& buffer = program.buffer(e->buffer);
  if (buffer.kind != ir::BufferKind::constant || buffer.type != DType::f32 || buffer.data.size != sizeof(float))
    return std::nullopt;
  return *static_cast<const float*>(buffer.data.bytes);
}

std::optional<Choice> choice_of(const ir::Program& program, Expr e) {
  if (e->kind != ExprKind::select) return std::nullopt;
  for (size_t i : {2, 1})
    if (const auto fill = constant_value(program, e->args[i])) return Choice{e->args[0], i == 1, *fill, e->args[3 - i]};
  return std::nullopt;
}

// The condition that the difference of two index values is at least `least`.
struct IndexCondition {
  IndexExpr difference;
  int64_t least;
};

std::optional<IndexCondition> index_condition(Expr e) {
  if (e->kind != ExprKind::binary) return std::nullopt;
  Expr a = e->args[0], b = e->args[1];
  if (a->kind != ExprKind::index || b->kind != ExprKind::index) return std::nullopt;
  const IndexExpr x = a->indices[0], y = b->indices[0];
  switch (e->binary) {
    case ir::BinaryOp::le:
      return IndexCondition{y - x, 0};
    case ir::BinaryOp::lt:
      return IndexCondition{y - x, 1};
    case ir::BinaryOp::ge:
      return IndexCondition{x - y, 0};
    case ir::BinaryOp::gt:
      return IndexCondition{x - y, 1};
    default:
      return std::nullopt;
  }
}

std::optional<KeysSeen> seen_by_indices(const Choice& c, const Loop& rows, const Loop& keys) {
  const auto condition = c.hides_where_true ? std::nullopt : index_condition(c.condition);
  if (!condition) return std::nullopt;
  const auto by_key = ir::stride_of(condition->difference, keys.var.node());
  const auto by_row = ir::stride_of(condition->difference, rows.var.node());
  if (!by_key || !by_key->is_constant(-1) || !by_row || !by_row->is_constant() || by_row->constant() < 0)
    return std::nullopt;
  const IndexExpr first = ir::substitute(condition->difference, {{keys.var.node(), 0}, {rows.var.node(), 0}});
  return KeysSeen{first - condition->least + 1, by_row->constant(), c.fill};
}

// Returns whether the load reads element (row, key) of a constant of booleans, all other indices being 0.
bool is_constant_mask(const ir::Program& program, Expr load, const Loop& rows, const Loop& keys) {
  if (load->kind != ExprKind::load || !load->guards.empty() || !load->indirects.empty()) return false;
  const auto& buffer = program.buffer(load->buffer);
  const size_t rank = buffer.shape.size();
  if (buffer.kind != ir::BufferKind::constant || buffer.type != DType::boolean || rank < 2) return false;
  for (size_t d = 0; d + 2 < rank; d++)
    if (!load->indices[d].is_constant(0)) return false;
  return load->indices[rank - 2] == rows.var && load->indices[rank - 1] == keys.var && rows.extent.is_constant() &&
         keys.extent.is_constant();
}

std::optional<KeysSeen> seen_by_constant(const ir::Program& program, const Choice& c, const Loop& rows,
                                         const Loop& keys) {
  if (!is_constant_mask(program, c.condition, rows, keys)) return std::nullopt;
  const auto& buffer = program.buffer(c.condition->buffer);
  const auto* mask = static_cast<const uint8_t*>(buffer.data.bytes);
  const int64_t width = buffer.shape.back().constant();
  int64_t first = std::numeric_limits<int64_t>::min() / 2;
  for (int64_t r = 0; r < rows.extent.constant(); r++) {
    int64_t seen = keys.extent.constant();
    while (seen > 0 && (mask[r * width + seen - 1] != 0) == c.hides_where_true) seen--;
    first = std::max(first, seen - r);
  }
  if (first >= keys.extent.constant()) return std::nullopt;
  return KeysSeen{first, 1, c.fill};
}

}  // namespace

float KeysSeen::harmless_above() const {
  const float least = float(fill + kLeastPower);
  return double(least) < fill + kLeastPower ? std::nextafter(least, INFINITY) : least;
}

std::optional<KeysSeen> keys_seen(const ir::Program& program, const schedule::Attention& a) {
  for (auto c = choice_of(program, a.score); c; c = choice_of(program, c->rest)) {
    if (auto seen = seen_by_indices(*c, a.rows, a.keys)) return seen;
    if (auto seen = seen_by_constant(program, *c, a.rows, a.keys)) return seen;
  }
  return std::nullopt;
}

}  // namespace cppgen::forms
