#pragma once
#include <optional>
#include <vector>

#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/layout/layout.h"

namespace cppgen::schedule {

// A nest seen as a product of two matrices for each point of `batch`: engines and layouts use operands, rows, columns
// and k, however the nest names its loops.
struct ContractionView {
  ir::Expr left = nullptr, right = nullptr;       // operand loads
  std::vector<ir::Loop> batch, rows, columns, k;  // k in loop order, innermost last
};

// The view of a nest. It is nullopt if the nest is not a contraction, or if its operands are not two loads.
std::optional<ContractionView> view_of(const ir::LoopNest&);

// Its multiply-adds, each counted as two operations.
IndexExpr flops_of(const ContractionView&);

// Tells whether the left operand is read in windows, as by a convolution.
bool has_windows(const ContractionView&);
// Tells whether it is read as by a convolution with a single tap: a matrix product over the points of an image.
bool has_single_tap(const ContractionView&);

// Tells whether the load reads different elements at different points of the loop.
bool moves_with(ir::Expr load, const ir::Loop&);

// Tells whether the value is the same at all points: a constant, or one fixed element of a buffer.
bool is_one_value(ir::Expr);

// A contraction in its program, as engines see it (engines/engine.h).
struct Contraction {
  const Program& program;
  const Layouts& layouts;
  const LoopNest& nest;
  std::optional<ContractionView> view;

  Contraction(const Program& p, const Layouts& l, const LoopNest& n)
      : program(p), layouts(l), nest(n), view(view_of(n)) {}

  const ir::Buffer& buffer(ir::Expr load) const { return program.buffer(load->buffer); }
  IndexExpr offset(ir::Expr load) const { return offset_of(program, layouts, load); }
};

}  // namespace cppgen::schedule
