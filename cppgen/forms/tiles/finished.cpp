// Tiles that finish their results (vec/generic/tile_ends.h): which of them a kernel's epilogue is, and the call.

#include <algorithm>
#include <cmath>

#include "cppgen/forms/tiles/writer.h"
#include "vec/generic/tile_ends.h"

namespace cppgen::forms {
namespace {

using ir::BinaryOp;
using ir::ExprKind;
using ir::Loop;
using vec::TileActivation;
using vec::TileTerms;

bool is(Expr e, BinaryOp op) { return e->kind == ExprKind::binary && e->binary == op; }

bool is_number(Expr e) { return e->kind == ExprKind::constant && e->type == DType::f32; }
bool is_zero(Expr e) { return is_number(e) && e->float_value() == 0 && !std::signbit(e->float_value()); }
bool is_bound(Expr e) { return is_number(e) && e->float_value() != 0 && !std::isnan(e->float_value()); }

// One operand of a commutative operation, and the other.
struct Operands {
  Expr one, other;
};

// The operands of such an operation of which the second one is as asked; nulls if there are none.
template <class Condition>
Operands operands(Expr e, BinaryOp op, Condition is_wanted) {
  if (!is(e, op)) return {};
  if (is_wanted(e->args[1])) return {e->args[0], e->args[1]};
  if (is_wanted(e->args[0])) return {e->args[1], e->args[0]};
  return {};
}

// Reads the value that an epilogue stores from its last operation back to the sum of products.
class EndReader {
 public:
  EndReader(const KernelView& view, const Loop& row, bool even_rows)
      : view_(view), row_(row.var.node()), even_rows_(even_rows) {}

  std::optional<TilesPlan::End> read(const ir::Store& store) {
    if (!is_along_columns(store.buffer, view_.offset(store))) return std::nullopt;
    read_terms(read_activation(store.value));
    const vec::TileEnd* const found = std::find(std::begin(vec::kTileEnds), std::end(vec::kTileEnds), kind_);
    if (!is_read_ || found == std::end(vec::kTileEnds)) return std::nullopt;
    const auto vectors = int(view_.kernel.contraction->shape.nr / view_.target.lanes);
    end_.number = vec::finished_number(even_rows_, vectors, int(found - std::begin(vec::kTileEnds)));
    end_.to_distance = row_distance(view_.offset(store));
    if (end_.values) end_.values_distance = row_distance(view_.offset(end_.values));
    return end_;
  }

 private:
  const KernelView& view_;
  const ir::IndexNode* row_;
  bool even_rows_;
  TilesPlan::End end_;
  vec::TileEnd kind_{TileTerms::none, TileActivation::none};
  bool is_read_ = false;

  const ir::IndexNode* column() const { return view_.kernel.contraction->columns.var.node(); }

  // Whether these are float32 whose columns follow each other and whose rows have a constant distance.
  bool is_along_columns(ir::BufferId buffer, IndexExpr offset) const {
    const auto across = ir::stride_of(offset, column()), along = ir::stride_of(offset, row_);
    return view_.program().buffer(buffer).type == DType::f32 && across && across->is_constant(1) && along &&
           along->is_constant();
  }
  bool is_vector(Expr e) const {
    return e->kind == ExprKind::load && e->guards.empty() && e->indirects.empty() &&
           is_along_columns(e->buffer, view_.offset(e));
  }
  IndexExpr row_distance(IndexExpr offset) const { return *ir::stride_of(offset, row_); }
  bool is_term(Expr e) const { return is_vector(e) && row_distance(view_.offset(e)).is_constant(0); }

  // Returns what the activation is of.
  Expr read_activation(Expr value) {
    if (const Expr x = operands(value, BinaryOp::max, is_zero).one) return kind_.activation = TileActivation::relu, x;
    if (const auto [clipped, most] = operands(value, BinaryOp::min, is_bound); clipped)
      if (const Expr x = operands(clipped, BinaryOp::max, is_zero).one) {
        kind_.activation = TileActivation::clip, end_.most = most;
        return x;
      }
    if (is(value, BinaryOp::mul))
      for (const int i : {0, 1})
        if (is_hard_gate(value->args[size_t(1 - i)], value->args[size_t(i)]))
          return kind_.activation = TileActivation::hard_swish, value->args[size_t(i)];
    return value;
  }

  // max(min(x * scale + offset, most), 0)
  bool is_hard_gate(Expr e, Expr x) {
    const Expr below = operands(e, BinaryOp::max, is_zero).one;
    if (!below) return false;
    const auto [sum, most] = operands(below, BinaryOp::min, is_bound);
    if (!sum) return false;
    const auto [product, offset] = operands(sum, BinaryOp::add, is_number);
    if (!product) return false;
    const auto [factor, scale] = operands(product, BinaryOp::mul, is_number);
    if (factor != x) return false;
    end_.scale = scale, end_.offset = offset, end_.most = most;
    return true;
  }

  void read_terms(Expr value) {
    const auto is_sum = [](Expr e) { return e->kind == ExprKind::accumulator; };
    if (is_sum(value)) return void(is_read_ = true);
    if (const Expr term = operands(value, BinaryOp::add, is_sum).one; term && is_term(term)) {
      kind_.terms = TileTerms::columns, end_.terms = term;
    } else if (const auto [rest, values] = operands(value, BinaryOp::add, [&](Expr e) { return is_vector(e); }); rest) {
      const Expr first = operands(rest, BinaryOp::add, is_sum).one;
      if (!first || !is_term(first)) return;
      kind_.terms = TileTerms::columns_and_values, end_.terms = first, end_.values = values;
    } else {
      return;
    }
    is_read_ = true;
  }
};

bool are_float_vectors(rt::TileFormat f) {
  return f == rt::TileFormat::f32 || f == rt::TileFormat::f32_wide || f == rt::TileFormat::f32_narrow;
}

bool may_be_finished(const KernelView& view, const TilesPlan& plan) {
  const schedule::TileContraction& c = *view.kernel.contraction;
  const schedule::Segment& epilogue = view.kernel.segments[0];
  if (!view.target.finished_tiles || !are_float_vectors(c.format)) return false;
  if (!c.in_registers || c.right_in_place) return false;
  if (plan.rows_ahead != 0 || !plan.epilogue_ahead.empty() || !view.kernel.non_temporal.empty()) return false;
  const int64_t vectors = c.shape.nr / view.target.lanes;
  return epilogue.stores.size() == 1 && !epilogue.loops.empty() &&
         constant_or(points(c.taps) * c.k.extent, 0) * vectors >= view.tuning().finished_k;
}

}  // namespace

std::optional<TilesPlan::End> end_of_tiles(const KernelView& view, const TilesPlan& plan) {
  if (!may_be_finished(view, plan)) return std::nullopt;
  const schedule::Segment& epilogue = view.kernel.segments[0];
  const auto varies = [](const Loop& l) { return !l.extent.is_constant(1); };
  if (std::count_if(epilogue.loops.begin(), epilogue.loops.end(), varies) > 1) return std::nullopt;
  const auto row = std::find_if(epilogue.loops.begin(), epilogue.loops.end(), varies);
  const Loop& loop = row == epilogue.loops.end() ? epilogue.loops.back() : *row;
  return EndReader(view, loop, plan.even_rows).read(epilogue.stores[0]);
}

// The element of the tile's first row and the panel's first column.
Code TileWriter::first_of_tile(ir::BufferId buffer, IndexExpr offset) const {
  codegen::IndexNames names = context_.names;
  for (const Loop& l : kernel_.segments[0].loops) {
    if (l.extent.is_constant(1))
      names.set_zero(l.var.node());
    else
      names.set(l.var.node(), row0_);
  }
  names.set(contraction().columns.var.node(), "column0");
  return sum(context_.pointers.at(buffer), names.text(offset));
}

void TileWriter::write_finished_product(const Code& panel) {
  const TilesPlan::End& end = *plan_.end;
  const ir::Store& store = kernel_.segments[0].stores[0];
  const auto distance = [&](IndexExpr rows) {
    return has_border() ? times("row_step", index_text(rows)) : index_text(rows);
  };
  const auto pointer = [&](const char* type, const char* name, Expr load) -> Code {
    if (!load) return "nullptr";
    body_.constant(type, name, "{}", first_of_tile(load->buffer, view_.offset(load)));
    return Code::name(name);
  };
  const auto number = [](Expr e) { return e ? codegen::literal(DType::f32, e) : std::string("0"); };
  body_.let("column0", "{}", times(panel, contraction().shape.nr));
  body_.let(kTileColumns, "{}",
            plan_.width ? Code(*plan_.width) : code("vec::imin({} - column0, {})", kColumns, contraction().shape.nr));
  const Code terms = pointer("const float* const", "terms", end.terms);
  const Code values = pointer("const float* const", "values", end.values);
  body_.let("values_distance", "{}", distance(end.values_distance));
  body_.constant("float* const", "to", "{}", first_of_tile(store.buffer, view_.offset(store)));
  body_.let("to_distance", "{}", distance(end.to_distance));
  body_.constant("const vec::TileResults", "results",
                 "vec::tile_results({}, {}, to, values_distance, to_distance, {}, {}, {}, {})", terms, values,
                 kTileColumns, number(end.scale), number(end.offset), number(end.most));
  before_.let("finish", "{}", end.number);
  body_.line("finished_tiles[finish][count](left, {}, {}, {}, right, {}, &results);",
             plan_.even_rows ? code("{}, tap_offsets", row_distance()) : "0, nullptr", kTaps, kK, ahead_);
}

}  // namespace cppgen::forms
