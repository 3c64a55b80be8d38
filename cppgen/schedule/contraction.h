#pragma once
#include <optional>
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/layout/layout.h"

namespace cppgen::schedule {

// A nest as the product of two matrices, for each point of `batch`.
struct ContractionView {
  ir::Expr left = nullptr, right = nullptr;           // operand loads
  std::vector<ir::Loop> batch, rows, columns, depth;  // depth in loop order, innermost last
};

// nullopt if the nest is no contraction, or its operands are not two loads.
std::optional<ContractionView> view_of(const ir::LoopNest&);

// Whether the load's place depends on the loop.
bool moves_with(ir::Expr load, const ir::Loop&);

// Whether the value is a constant, or one element of a buffer: the same wherever it is read.
bool is_one_value(ir::Expr);

// A contraction of a program, as engines are asked about it (engines/engine.h).
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
