#pragma once
#include "cppgen/ir/expr.h"

namespace cppgen::ir {

// Names and operand types of the operations: one row each.
enum class OperandClass : uint8_t {
  number,  // floats and integers
  number_or_bool,
  floats,
  float32,
  integer,
  bits,  // integers and bool
  boolean,
};

struct UnaryRow {
  UnaryOp op;
  const char* name;
  OperandClass operand;
  bool gives_bool;
};

struct BinaryRow {
  BinaryOp op;
  const char* name;
  OperandClass operands;
};

const UnaryRow& row_of(UnaryOp);
const BinaryRow& row_of(BinaryOp);
bool allows(OperandClass, DType);

}  // namespace cppgen::ir
