#pragma once
#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

// The rows of operations.def, which documents the columns.
enum class OperandClass : uint8_t {
  number,  // floats and integers
  number_or_bool,
  floats,
  float32,
  integer,
  bits,  // integers and bool
  boolean,
};

enum class OperationCost : uint8_t {
  instruction,  // or few
  division,     // an instruction of floats; integers have none
  function,     // a polynomial
};

enum class NeutralSide : uint8_t { none, right, either };

struct UnaryRow {
  UnaryOp op;
  std::string_view name;
  OperandClass operand;
  bool gives_bool;
  OperationCost cost;
  int chain;
  bool fast;
  std::string_view emitted;
};

struct BinaryRow {
  BinaryOp op;
  std::string_view name;
  OperandClass operands;
  bool compares;
  OperationCost cost;
  int neutral;
  NeutralSide side;
  std::string_view emitted, of_masks;
};

enum class ReductionStart : uint8_t { zero, one, least, greatest };  // of the values' type; infinities of floats

struct ReductionRow {
  ReduceOp op;
  std::string_view name;
  OperandClass operands;
  std::optional<BinaryOp> combine;  // nullopt: gives a position
  ReductionStart start;
  bool greatest;  // the operation whose position it returns
  std::string_view over_lanes, over_masks;
};

const UnaryRow& row_of(UnaryOp);
const BinaryRow& row_of(BinaryOp);
const ReductionRow& row_of(ReduceOp);
// The reduction of this name that combines values; null if there is none.
const ReductionRow* combining_reduction(std::string_view name);
// Returns the result of a reduction of no values of this type.
Expr identity(ExprArena&, ReduceOp, DType);
bool allows(OperandClass, DType);

}  // namespace cppgen::ir
